#pragma once
/// How the links of a graph are made: by hnswlib, which nobody else includes, one point after the
/// other. They depend on nothing but the codes of the points in their order: a level is a function
/// of the position, distances are the same on every machine.

#include <atomic>
#include <cstdint>
#include <optional>

#include "index/vectors/segment_links.hpp"
#include "index/vectors/segment_points.hpp"
#include "index/vectors/vector_rows.hpp"

namespace mneme {

struct graph_parameters {
  std::uint32_t m = 16;
  std::uint32_t ef_construction = 100;
};

/// The links of `points`, of which the first have those of `base` (may be null). nullopt if `stop`
/// was set meanwhile or memory ran out.
std::optional<segment_links> build_links(const segment_links* base, const vector_rows& rows,
                                         const segment_points& points, const graph_parameters& p,
                                         const std::atomic<bool>& stop);

} // namespace mneme
