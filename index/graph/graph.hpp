#pragma once
/// Adjacency of the typed edges, mirrored in both directions. One writer, many concurrent readers:
/// per node and direction blocks sorted by (edge type, other id), replaced when an edge comes in
/// between and freed when no reader can hold them. Every entry is alive over [begin, end), so a
/// read at seq S is exact.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/image.hpp"
#include "index/loop_watch.hpp"
#include "index/numbers.hpp"
#include "index/rows/node_table.hpp"
#include "mneme/query.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// One adjacent edge as a reader sees it.
struct neighbour {
  edge_type type{};
  node_no node;
  bool tombstoned = false;
  seq_no since{}; ///< of this state of the edge
};

struct walk_request {
  node_no from{};
  std::span<const edge_type> types{}; ///< empty = any
  edge_direction direction = edge_direction::out;
  std::uint32_t min_hops = 1;
  std::uint32_t max_hops = 1;
  bool include_tombstoned = false;
  /// Nodes reached at any hop, the unreturned ones too. Those that the asker may not see are none
  /// of them: how many there are must not show.
  std::uint64_t max_visited = 100'000;
  seq_no at{};
  /// May the asker see this vertex? Empty = everything. A vertex it may not see is neither
  /// returned nor expanded.
  std::function<bool(node_no)> may_see{};
  goes_on_check goes_on{}; ///< asked every so many edges, whoever may see where they lead
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
  /// In visiting order: the nodes of a hop are expanded in the order they were reached, the edges
  /// of each in (edge type, other id) order.
  std::vector<walk_step> steps;
  bool truncated = false; ///< max_visited nodes were reached, and there were more
};

class graph {
public:
  /// `nodes` must outlive the graph; it gives the byte order of ids.
  explicit graph(const node_table& nodes);
  ~graph();

  /// Writer: the edge's state from `seq` on (a new edge, a tombstoned one, or a revived one).
  /// Seqs ascend. The state that the edge has already changes nothing.
  void put(node_no src, edge_type type, node_no dst, bool tombstoned, seq_no seq);
  /// Writer: no read, of any seq, finds that the edge ever was, until it is put again.
  void forget(node_no src, edge_type type, node_no dst);
  /// Nobody reads at a seq before `seq` from now on: states that ended before may be dropped.
  void retain_from(seq_no seq);

  /// The bug that a simulator plants: the incoming list of an edge is not written any more.
  void testing_lose_reverse_edges();

  // Readers.
  /// Edges of `node` at `at` in (type byte, other id) order; of direction both, those out come
  /// before those in of the same type and id. `visit` returns false to stop.
  void neighbours(node_no node, edge_direction direction, seq_no at, bool include_tombstoned,
                  const std::function<bool(const neighbour&)>& visit) const;
  /// False where no edge ever led from `node` that some retained read can see.
  [[nodiscard]] bool has_edges_out(node_no node) const;
  /// Whether an edge of this type ever led to `node` that some retained read can see.
  [[nodiscard]] bool ever_led_to(node_no node, edge_type type) const;
  /// The same of all types up to `last`.
  [[nodiscard]] bool ever_led_to_up_to(node_no node, edge_type last) const;
  /// Hints that edges of `node` are looked at soon: first where they are, and of which types any
  /// ever led to it, then, when that has come, they themselves.
  void expect_lists(node_no node) const;
  void expect_edges_out(node_no node) const;
  void expect_edges_in(node_no node) const;
  /// All such nodes, and some that only reads before those may see. Valid for the graph's life.
  [[nodiscard]] std::span<const std::uint32_t> ever_led_to(edge_type type) const;
  /// Breadth-first walk; visits each node once, the start is excluded.
  [[nodiscard]] walk_result walk(const walk_request& request) const;
  /// Edges alive and not tombstoned, now.
  [[nodiscard]] std::uint64_t edge_count() const;

  /// The edges as of `at`, with the states that reads back to the retained seq need; may run
  /// beside the writer.
  [[nodiscard]] std::string save(seq_no at) const;
  void save(image_writer& out, seq_no at) const;
  /// Into an empty graph, which stays empty if the image is damaged (corrupt) or names nodes that
  /// the node table does not have.
  result<void> load(const image_bytes& image);

  struct impl;

private:
  std::unique_ptr<impl> impl_;
};

} // namespace mneme
