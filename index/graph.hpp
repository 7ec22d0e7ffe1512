#pragma once
/// Adjacency of the typed edges, mirrored in both directions. One writer, many concurrent readers:
/// per node and direction an immutable block sorted by (edge type, other id) and a short appended
/// tail that is merged into the next block. Every entry is alive over [begin, end), so a read at
/// seq S is exact.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/node_table.hpp"
#include "index/numbers.hpp"
#include "mneme/query.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// One adjacent edge as a reader sees it.
struct neighbour {
  edge_type type{};
  node_no node;
  bool tombstoned = false;
};

struct walk_request {
  node_no from;
  std::span<const edge_type> types; ///< empty = any
  edge_direction direction = edge_direction::out;
  std::uint32_t min_hops = 1;
  std::uint32_t max_hops = 1;
  bool include_tombstoned = false;
  std::uint64_t max_visited = 100'000;
  seq_no at;
  /// May the asker see this vertex? Empty = everything. A vertex it may not see is neither
  /// returned nor expanded.
  std::function<bool(node_no)> may_see;
};

/// A node reached, with its shortest hop count and the edge it was reached by.
struct walk_step {
  node_no node;
  std::uint32_t hop = 0;
  node_no via_src;
  edge_type via_type{};
  node_no via_dst;
};
struct walk_result {
  std::vector<walk_step> steps; ///< in visiting order: hop, then (edge type, other id) bytes
  bool truncated = false;
};

class graph {
public:
  /// `nodes` must outlive the graph; it gives the byte order of ids.
  explicit graph(const node_table& nodes);
  ~graph();

  /// Writer: the edge's state from `seq` on (a new edge, a tombstoned one, or a revived one).
  void put(node_no src, edge_type type, node_no dst, bool tombstoned, seq_no seq);

  // Readers.
  /// Edges of `node` at `at` in (type byte, other id) order; direction out or in.
  void neighbours(node_no node, edge_direction direction, seq_no at, bool include_tombstoned,
                  const std::function<bool(const neighbour&)>& visit) const;
  /// Breadth-first walk; visits each node once, the start is excluded.
  [[nodiscard]] walk_result walk(const walk_request& request) const;
  /// Edges alive and not tombstoned.
  [[nodiscard]] std::uint64_t edge_count() const;

  [[nodiscard]] std::string save(seq_no at) const;
  result<void> load(std::string_view image);

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme
