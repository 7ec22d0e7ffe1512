#pragma once
/// That a memory no longer holds, beside it in an answer of those that show such.

namespace mneme {

struct past_marks {
  bool ended = false;      ///< by valid_until or expires_at, at as_of or now
  bool superseded = false; ///< something took its place, as the asker sees it

  friend bool operator==(const past_marks&, const past_marks&) = default;
};

} // namespace mneme
