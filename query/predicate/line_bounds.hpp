#pragma once
/// What a predicate asks of the line of a row at its top, where all of it must hold: a few
/// comparisons of numbers. A row outside cannot pass. Of tags they say only what a brief says.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "index/rows/row_store.hpp"
#include "query/predicate/field_reference.hpp"

namespace mneme {

/// From first to last; none if first is above.
struct number_span {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] bool has(std::int64_t v) const { return first <= v && v <= last; }
  [[nodiscard]] bool is_all() const { return *this == number_span{}; }
  void narrow(const number_span& other) {
    first = std::max(first, other.first);
    last = std::min(last, other.last);
  }
  friend bool operator==(const number_span&, const number_span&) = default;
};

struct line_bounds {
  type_set types = all_memory_types;
  std::uint8_t visibilities = 0xFF; ///< bit (1 << visibility)
  std::uint8_t flags_asked = 0;
  std::uint8_t flags_excluded = 0;
  row_brief tags_asked = 0; ///< bits that a row with the tags has in its brief
  number_span created;
  number_span last_updated;
  number_span valid_from;
  number_span importance;

  void ask_flags(std::uint8_t flags) {
    flags_asked |= flags;
    refuse_contradiction();
  }
  void exclude_flags(std::uint8_t flags) {
    flags_excluded |= flags;
    refuse_contradiction();
  }

  /// May a row with this brief be inside? Says nothing about when it was alive.
  [[nodiscard]] bool may_have(row_brief brief) const {
    const row_brief asked = tags_asked | brief_of_flags(flags_asked);
    const row_brief looked_at = asked | brief_of_flags(flags_excluded);
    // One of both alone cannot be foreseen, so that they are not tested one after the other.
    return static_cast<bool>(static_cast<unsigned>((brief & looked_at) == asked)
                             & (static_cast<unsigned>(types) >> type_of(brief)) & 1U);
  }
  /// Is a row inside if its brief and the time of its creation may be? Of tags, see above.
  [[nodiscard]] bool are_in_brief_but_for_creation() const {
    return visibilities == 0xFF && last_updated.is_all() && valid_from.is_all()
           && importance.is_all();
  }
  [[nodiscard]] bool has(const row_line& line) const {
    return ((types >> static_cast<unsigned>(line.type)) & 1U) != 0
           && (line.flags & flags_excluded) == 0 && (line.flags & flags_asked) == flags_asked
           && ((visibilities >> static_cast<unsigned>(line.visibility)) & 1U) != 0
           && created.has(line.created_at_ns) && last_updated.has(line.last_updated_at_ns)
           && valid_from.has(line.valid_from_ns) && importance.has(line.importance);
  }

private:
  /// Of a flag that is asked for and excluded a brief is tested by what is asked alone.
  void refuse_contradiction() {
    if ((flags_asked & flags_excluded) != 0) types = 0;
  }
};

} // namespace mneme
