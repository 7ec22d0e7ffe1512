#pragma once
/// What the class graph holds; shared by its writer, its readers and its image.

#include <array>
#include <atomic>
#include <memory>

#include "index/columns/append_list.hpp"
#include "index/columns/paged_column.hpp"
#include "index/graph/adjacency.hpp"
#include "index/graph/graph.hpp"
#include "index/reclamation.hpp"

namespace mneme {

struct node_edges {
  edge_list out;
  edge_list in;
};

struct graph::impl {
  explicit impl(const node_table& table) : nodes(table), writer(table, retired) {}
  ~impl();

  const node_table& nodes;
  mutable reclaimer retired;
  edge_list_writer writer;
  sparse_column<node_edges> lists;
  sparse_column<std::uint32_t> types_in; ///< by node: bit per type byte of its in list, ever
  std::array<append_list<std::uint32_t>, edge_type_count + 1> nodes_in{}; ///< by type byte: nodes
  array_graveyard<std::uint32_t> node_arrays;                             ///< of nodes_in
  std::atomic<std::uint32_t> node_limit{0}; ///< every node with an edge is below it
  std::atomic<std::uint64_t> live_edges{0};
  std::atomic<std::uint64_t> retained{0};
  bool loses_reverse_edges = false;   ///< testing only
  saved_lists saved;                  ///< lists that still lie in the image
  std::shared_ptr<const void> holder; ///< of the image

  /// The list of `node`, empty if it has no edges.
  [[nodiscard]] edge_list list_of(node_no node, edge_direction direction) const {
    const node_edges* both = lists.find(node.value);
    if (both == nullptr) return 0;
    return saved.found(load_acquire(direction == edge_direction::in ? both->in : both->out));
  }
  /// Writer: the same of a list that is to be changed.
  [[nodiscard]] edge_list& own(edge_list& list) const {
    if (saved_lists::is_saved(list)) store_release(list, saved.found(list));
    return list;
  }
  /// Hints that the edges of `node` are walked over soon: first that its lists are, then, when
  /// those have come, where their entries lie.
  void prefetch_lists(node_no node) const { __builtin_prefetch(lists.find(node.value)); }
  void prefetch_entries(node_no node, edge_direction direction) const {
    const node_edges* const both = lists.find(node.value);
    if (both == nullptr) return;
    if (direction != edge_direction::in) prefetch_entries(saved.place_of(load_acquire(both->out)));
    if (direction != edge_direction::out) prefetch_entries(saved.place_of(load_acquire(both->in)));
  }
  static void prefetch_entries(edge_list list) {
    constexpr std::uintptr_t line = 64;
    constexpr std::uintptr_t lines = 3; // of most lists all
    for (std::uintptr_t i = 0; list != 0 && i < lines; ++i)
      __builtin_prefetch(reinterpret_cast<const void*>(list + i * line));
  }
  /// Writer: makes room for the lists of `node`.
  node_edges& grow(node_no node);
  /// Writer: an edge of this type leads to `node`. Before it is in the list.
  void note_type_in(node_no node, edge_type type) {
    std::uint32_t& types = types_in.grow(node.value);
    const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(type);
    if ((types & bit) != 0) return;
    nodes_in[static_cast<std::size_t>(type)].append(node.value, node_arrays);
    store_release(types, types | bit);
  }
};

/// Which edges a reader wants to see.
struct edge_selection {
  std::uint64_t at;
  std::uint64_t types; ///< bit per type byte
  bool include_tombstoned;

  [[nodiscard]] bool admits(const edge_entry& e) const {
    // The type of an image that somebody made may be any byte.
    constexpr unsigned bits = 63;
    return e.begin <= at && at < load_acquire(e.end)
           && (types >> (static_cast<unsigned>(e.type) & bits) & 1) != 0
           && (include_tombstoned || e.tombstoned == 0);
  }
};
inline constexpr std::uint64_t any_edge_type = ~std::uint64_t{0};

/// Entries of one list that a filter admits.
class filtered_cursor {
public:
  filtered_cursor(edge_list list, const edge_selection& filter) : cursor_(list), filter_(filter) {}
  const edge_entry* next() {
    const edge_entry* e = cursor_.next();
    while (e != nullptr && !filter_.admits(*e)) e = cursor_.next();
    return e;
  }

private:
  edge_cursor cursor_;
  const edge_selection& filter_;
};

/// Calls `visit(entry, is_out)` for the admitted edges of `node` in (type, other id) order, out
/// before in on ties, until it returns false. The caller stands in a reclaimer::guard.
template <class Visit>
void for_each_edge(const graph::impl& graph, node_no node, edge_direction direction,
                   const edge_selection& filter, Visit&& visit) {
  if (direction != edge_direction::both) {
    const bool is_out = direction == edge_direction::out;
    filtered_cursor edges(graph.list_of(node, direction), filter);
    while (const edge_entry* e = edges.next())
      if (!visit(*e, is_out)) return;
    return;
  }
  filtered_cursor out(graph.list_of(node, edge_direction::out), filter);
  filtered_cursor in(graph.list_of(node, edge_direction::in), filter);
  const edge_entry* from_out = out.next();
  const edge_entry* from_in = in.next();
  while (from_out != nullptr || from_in != nullptr) {
    const bool is_out = from_in == nullptr
                        || (from_out != nullptr && !sorts_before(graph.nodes, *from_in, *from_out));
    if (!visit(is_out ? *from_out : *from_in, is_out)) return;
    if (is_out)
      from_out = out.next();
    else
      from_in = in.next();
  }
}

} // namespace mneme
