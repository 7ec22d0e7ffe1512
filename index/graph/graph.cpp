#include "index/graph/graph.hpp"

#include "index/graph/graph_state.hpp"
#include "messages/ensure.hpp"

namespace mneme {

graph::impl::~impl() {
  for (std::uint32_t n = 0, limit = node_limit.load(); n < limit; ++n) {
    const node_edges* both = lists.find(n);
    if (both == nullptr) continue;
    writer.destroy(both->out);
    writer.destroy(both->in);
  }
}

node_edges& graph::impl::grow(node_no node) {
  node_edges& both = lists.grow(node.value);
  if (node.value >= node_limit.load(std::memory_order_relaxed))
    node_limit.store(node.value + 1, std::memory_order_release);
  return both;
}

graph::graph(const node_table& nodes) : impl_(std::make_unique<impl>(nodes)) {
}
graph::~graph() = default;

void graph::put(node_no src, edge_type type, node_no dst, bool tombstoned, seq_no seq) {
  const std::uint32_t known = impl_->nodes.size();
  ensure(src.value < known && dst.value < known, "both ends of an edge are nodes");
  const auto byte = static_cast<std::uint8_t>(type);
  ensure(byte >= 1 && byte <= edge_type_count, "an edge has a known type");
  edge_entry entry{.id_prefix = prefix_of(impl_->nodes.id(dst)),
                   .begin = seq.value,
                   .end = forever,
                   .node = dst.value,
                   .type = type,
                   .tombstoned = static_cast<std::uint8_t>(tombstoned ? 1 : 0)};
  const std::uint64_t retained = impl_->retained.load(std::memory_order_relaxed);
  const auto before = impl_->writer.put(impl_->own(impl_->grow(src).out), entry, retained);
  entry.id_prefix = prefix_of(impl_->nodes.id(src));
  entry.node = src.value;
  impl_->note_type_in(dst, type);
  if (!impl_->loses_reverse_edges)
    impl_->writer.put(impl_->own(impl_->grow(dst).in), entry, retained);
  const bool was_live = before == edge_list_writer::edge_before::live;
  if (!was_live && !tombstoned) impl_->live_edges.fetch_add(1, std::memory_order_relaxed);
  if (was_live && tombstoned)
    ensure(impl_->live_edges.fetch_sub(1, std::memory_order_relaxed) > 0,
           "an edge that ends was counted when it began");
}

void graph::forget(node_no src, edge_type type, node_no dst) {
  const std::uint32_t known = impl_->nodes.size();
  ensure(src.value < known && dst.value < known, "both ends of an edge are nodes");
  edge_entry edge{};
  edge.type = type;
  edge.node = dst.value;
  const bool was_live = impl_->writer.forget(impl_->own(impl_->grow(src).out), edge);
  edge.node = src.value;
  static_cast<void>(impl_->writer.forget(impl_->own(impl_->grow(dst).in), edge));
  if (was_live)
    ensure(impl_->live_edges.fetch_sub(1, std::memory_order_relaxed) > 0,
           "an edge that is forgotten was counted when it began");
}

void graph::testing_lose_reverse_edges() {
  impl_->loses_reverse_edges = true;
}

void graph::retain_from(seq_no seq) {
  if (seq.value > impl_->retained.load(std::memory_order_relaxed))
    impl_->retained.store(seq.value, std::memory_order_release);
}

void graph::neighbours(node_no node, edge_direction direction, seq_no at, bool include_tombstoned,
                       const std::function<bool(const neighbour&)>& visit) const {
  const reclaimer::guard inside(impl_->retired);
  const edge_selection filter{
      .at = at.value, .types = any_edge_type, .include_tombstoned = include_tombstoned};
  for_each_edge(*impl_, node, direction, filter, [&](const edge_entry& e, bool) {
    return visit(
        {.type = e.type, .node = {e.node}, .tombstoned = e.tombstoned != 0, .since = {e.begin}});
  });
}

bool graph::has_edges_out(node_no node) const {
  return impl_->list_of(node, edge_direction::out) != 0;
}

void graph::expect_lists(node_no node) const {
  impl_->prefetch_lists(node);
  __builtin_prefetch(impl_->types_in.find(node.value));
}

void graph::expect_edges_out(node_no node) const {
  impl_->prefetch_entries(node, edge_direction::out);
}

void graph::expect_edges_in(node_no node) const {
  impl_->prefetch_entries(node, edge_direction::in);
}

bool graph::ever_led_to(node_no node, edge_type type) const {
  const std::uint32_t* types = impl_->types_in.find(node.value);
  return types != nullptr && (load_acquire(*types) >> static_cast<unsigned>(type) & 1U) != 0;
}

bool graph::ever_led_to_up_to(node_no node, edge_type last) const {
  const std::uint32_t* types = impl_->types_in.find(node.value);
  const std::uint32_t wanted = (std::uint32_t{2} << static_cast<unsigned>(last)) - 1;
  return types != nullptr && (load_acquire(*types) & wanted) != 0;
}

std::span<const std::uint32_t> graph::ever_led_to(edge_type type) const {
  return impl_->nodes_in[static_cast<std::size_t>(type)].view();
}

std::uint64_t graph::edge_count() const {
  return impl_->live_edges.load(std::memory_order_relaxed);
}

} // namespace mneme
