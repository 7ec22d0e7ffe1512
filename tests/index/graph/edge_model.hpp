#pragma once
/// A naive model of the class graph: every state of every edge in a list, neighbours found by
/// looking at all of them, walks by plain breadth-first search.

#include <cstdint>
#include <set>
#include <vector>

#include "index/graph/graph.hpp"
#include "index/rows/node_table.hpp"
#include "tests/index/dice.hpp"

namespace mneme {

struct edge_state {
  std::uint32_t src;
  edge_type type;
  std::uint32_t dst;
  bool tombstoned;
  std::uint64_t begin;
  std::uint64_t end;
};

/// An edge met at a node, with its direction as seen from there.
struct met_edge {
  edge_type type;
  std::uint32_t other;
  bool tombstoned;
  bool is_out;
  friend bool operator==(const met_edge&, const met_edge&) = default;
};

class edge_model {
public:
  explicit edge_model(const node_table& nodes) : nodes_(nodes) {}

  void put(std::uint32_t src, edge_type type, std::uint32_t dst, bool tombstoned,
           std::uint64_t seq);
  /// In (type, other id) order, out before in.
  [[nodiscard]] std::vector<met_edge> edges_of(std::uint32_t node, edge_direction direction,
                                               std::uint64_t at, bool include_tombstoned) const;
  [[nodiscard]] walk_result walk(const walk_request& request) const;
  [[nodiscard]] std::uint64_t live_count() const;

private:
  const node_table& nodes_;
  std::vector<edge_state> states_;
};

/// A graph, its model and the ids of both, changed together.
class edge_world {
public:
  edge_world(std::uint64_t seed, std::uint32_t node_count);

  /// A random edge comes, goes, or comes back; the same state again now and then.
  void change();
  /// Asks both for the neighbours of every node at `at`.
  void check_neighbours(std::uint64_t at) const;
  /// Asks both for a random walk at `at`.
  void check_walk(std::uint64_t at);
  /// Continues with a graph loaded from the image of the last seq.
  void reload();

  node_table nodes;
  edge_model model;
  std::unique_ptr<graph> subject;
  dice draws;
  std::uint64_t seq = 0;
};

bool operator==(const walk_step& a, const walk_step& b);

} // namespace mneme
