#pragma once
/// What the journal's entries do to the activation of a memory: the table of the model, once, for
/// whoever applies entries and for whoever executes on top of entries that are not applied yet.

#include <algorithm>

#include "messages/codec/entry.hpp"

namespace mneme {

/// A new head; `first_write` is the write of version 1, which in a restored world may bring a
/// tombstone along. A later tombstone is no use of the memory; what undoes it changes nothing here.
inline activation after_head(activation a, const head& h, bool first_write) {
  if (first_write) a = {};
  if (first_write || !h.tombstone) a.last_used = h.last_updated_at;
  a.importance = h.declared_importance;
  return a;
}

/// Returned by a find with late binding.
inline activation after_touch(activation a, timestamp at) {
  a.last_used = at;
  ++a.access_count;
  return a;
}

/// Returned by a chroma query, which counts and no more.
inline activation after_chroma_touch(activation a) {
  ++a.access_count;
  return a;
}

/// A failure that says the cited memories themselves were at fault.
inline bool blames_cited(const attest_payload& p) {
  return p.outcome == attest_outcome::failure
         && (p.reason == "factual_error" || p.reason == "wrong_assumption");
}

inline activation after_attest(activation a, const attest_payload& p, timestamp at) {
  a.last_used = at;
  if (p.outcome == attest_outcome::success) {
    ++a.access_count;
    ++a.citations;
  } else if (blames_cited(p)) {
    a.citations = std::max<std::int64_t>(0, a.citations - 1);
  }
  return a;
}

} // namespace mneme
