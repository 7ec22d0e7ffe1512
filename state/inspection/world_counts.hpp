#pragma once
/// What a world holds, in numbers that follow the writes: nobody scans for them.

#include <cstdint>

#include "index/columns/live_counts.hpp"

namespace mneme {

struct world_counts {
  seq_no seq; ///< as of which
  live_counts live;
  std::uint64_t rows = 0;
  std::uint64_t edges = 0; ///< live
  std::uint64_t vectors = 0;
  std::uint64_t fields = 0; ///< of topics

  friend bool operator==(const world_counts&, const world_counts&) = default;
};

} // namespace mneme
