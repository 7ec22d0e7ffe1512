#pragma once
/// The three dense numberings. node = one per memory id (also of edge ends that do not exist);
/// row = one visible state of one memory, alive over journal seqs [begin, end);
/// slot = one content (a version), which several rows may point to.

#include <compare>
#include <cstdint>

namespace mneme {

inline constexpr std::uint32_t no_number = 0xFFFFFFFF;

struct node_no {
  std::uint32_t value = no_number;
  friend auto operator<=>(const node_no&, const node_no&) = default;
};
struct row_no {
  std::uint32_t value = no_number;
  friend auto operator<=>(const row_no&, const row_no&) = default;
};
struct slot_no {
  std::uint32_t value = no_number;
  friend auto operator<=>(const slot_no&, const slot_no&) = default;
};

/// `end` of a row or edge that is still alive.
inline constexpr std::uint64_t forever = ~0ULL;

} // namespace mneme
