#pragma once
/// What words and vectors find a topic by where some of its entries are erased: what the entries
/// before them say, as whoever reads the journal from its start has it.

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mneme/types.hpp"
#include "state/world.hpp"

namespace mneme {

struct kept_content {
  std::string text;
  std::optional<std::vector<float>> vector;
};

/// Of the memory as of `at`, by the entries that are not among `erased` (ascending). Reads the
/// heads in `reader` and these entries in the journal.
result<kept_content> content_without(world& w, kv_reader& reader, const memory_id& id, seq_no at,
                                     std::span<const seq_no> erased);

/// Contents whose entries are erased while their memories stay.
struct replaced_contents {
  struct content {
    seq_no since; ///< its entry; 0: no row is of that any more
    kept_content now;
  };
  std::map<std::uint32_t, content> by_slot;
  /// The entry with the first vector that is left, which says what vectors are; 0: there is none.
  std::optional<seq_no> space_since{};

  /// Whether it is the entry of one of them.
  [[nodiscard]] bool is_of(seq_no seq) const {
    return std::ranges::any_of(by_slot, [&](const auto& one) { return one.second.since == seq; });
  }
};

/// Of these topics in the indexes as they are: all that rests on entries that are `erased`
/// (ascending) now, or were before.
result<replaced_contents> contents_to_replace(world& w, std::span<const memory_id> topics,
                                              std::span<const seq_no> erased);

/// The first entry of the journal that has a vector; 0: none has.
result<seq_no> first_vector(const world& w);

} // namespace mneme
