#pragma once
/// How many memories are live, kept as their rows come and go, so that nobody has to count them.

#include <array>
#include <cstdint>

#include "index/rows/row_store.hpp"

namespace mneme {

/// Live: neither tombstoned nor erased.
struct live_counts {
  std::array<std::uint64_t, memory_type_count + 1> by_type{}; ///< by the type's byte
  std::uint64_t unembedded = 0;                               ///< without a vector

  /// The row is the state of its memory from now on.
  void begin(const row_line& row) { count(row, 1); }
  /// It is no more.
  void end(const row_line& row) { count(row, ~std::uint64_t{0}); }

  friend bool operator==(const live_counts&, const live_counts&) = default;

private:
  /// `step` is 1, or what takes 1 off.
  void count(const row_line& row, std::uint64_t step) {
    if ((row.flags & row_gone) != 0) return;
    by_type[static_cast<std::size_t>(row.type)] += step;
    if ((row.flags & row_has_vector) == 0) unembedded += step;
  }
};

} // namespace mneme
