// The image: the lists as they lie in memory, each a block or several, and by node where they are.
// Loading leaves them there. Only the directories of long lists are made.

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "index/columns/column_image.hpp"
#include "index/graph/graph_state.hpp"
#include "index/image.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::string_view edges_image_name = "mnEDGES2";

/// A list of several blocks.
struct long_list {
  std::uint64_t block; ///< where the first one begins
  std::uint32_t node;
  std::uint32_t count; ///< of entries; those that lead in, with the highest bit
};
constexpr std::uint32_t leads_in = 1U << 31;

class saver {
public:
  saver(const graph::impl& from, seq_no retained, seq_no at)
      : from_(from), retained_(retained), at_(at) {}

  void put_node(node_no node) {
    const edge_list out = put(node, edge_direction::out);
    for (const edge_entry& e : entries_) live_ += e.end == forever && e.tombstoned == 0 ? 1 : 0;
    bool has_edges = !entries_.empty();
    const edge_list in = put(node, edge_direction::in);
    for (const edge_entry& e : entries_) note_type(node, e.type);
    has_edges = has_edges || !entries_.empty();
    if (!has_edges) return;
    lists_.grow(node.value) = {.out = out, .in = in};
    limit_ = node.value + 1;
  }

  void write(image_writer& out) const {
    out.put(limit_);
    out.put(live_);
    put_list<std::uint64_t>(out, blocks_);
    put_list<long_list>(out, long_);
    put_column(out, lists_, limit_);
    put_column(out, types_, limit_);
    for (const auto& nodes : nodes_in_) put_list<std::uint32_t>(out, nodes);
  }

private:
  edge_list put(node_no node, edge_direction direction) {
    collect(from_.list_of(node, direction));
    if (entries_.empty()) return 0;
    const std::size_t at = blocks_.size();
    edge_list_writer::save(entries_, blocks_);
    const auto count = static_cast<std::uint32_t>(entries_.size());
    if (count <= edge_list_writer::block_entries_max) return saved_lists::saved_at(at);
    long_.push_back({.block = at,
                     .node = node.value,
                     .count = count | (direction == edge_direction::in ? leads_in : 0)});
    return 0;
  }

  /// The states that reads from the retained seq to that of the image need.
  void collect(edge_list list) {
    entries_.clear();
    edge_cursor entries(list);
    while (const edge_entry* e = entries.next()) {
      const std::uint64_t end = load_acquire(e->end);
      if (e->begin > at_.value || end <= retained_.value) continue;
      edge_entry& saved = entries_.emplace_back();
      std::memset(static_cast<void*>(&saved), 0, sizeof saved); // what is between its members, too
      saved.id_prefix = e->id_prefix;
      saved.begin = e->begin;
      saved.end = end > at_.value ? forever : end;
      saved.node = e->node;
      saved.type = e->type;
      saved.tombstoned = e->tombstoned;
    }
  }

  void note_type(node_no node, edge_type type) {
    std::uint32_t& types = types_.grow(node.value);
    const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(type);
    if ((types & bit) != 0) return;
    types |= bit;
    nodes_in_[static_cast<std::size_t>(type)].push_back(node.value);
  }

  const graph::impl& from_;
  seq_no retained_;
  seq_no at_;
  std::vector<edge_entry> entries_;
  std::vector<std::uint64_t> blocks_;
  std::vector<long_list> long_;
  sparse_column<node_edges> lists_;
  sparse_column<std::uint32_t> types_;
  std::array<std::vector<std::uint32_t>, edge_type_count + 1> nodes_in_;
  std::uint32_t limit_ = 0;
  std::uint64_t live_ = 0;
};

bool adopt_long_lists(graph::impl& into, std::span<const long_list> lists) {
  for (const long_list& l : lists) {
    if (l.node >= into.node_limit.load(std::memory_order_relaxed)) return false;
    const edge_list adopted = into.writer.adopt(l.block, l.count & ~leads_in);
    if (adopted == 0) return false;
    node_edges& both = into.lists.grow(l.node);
    edge_list& list = (l.count & leads_in) != 0 ? both.in : both.out;
    if (list != 0) {
      into.writer.destroy(adopted);
      return false;
    }
    list = adopted;
  }
  return true;
}

/// A word that is neither would be taken for an address.
bool are_saved_or_none(const saved_lists& saved, const node_edges& both) {
  return (both.out == 0 || saved.may_be(both.out)) && (both.in == 0 || saved.may_be(both.in));
}

/// False if the image cannot be right.
bool load_lists(graph::impl& into, image_reader& in) {
  const auto limit = in.get<std::uint32_t>();
  into.live_edges.store(in.get<std::uint64_t>(), std::memory_order_relaxed);
  into.saved.blocks = get_list<std::uint64_t>(in);
  const auto long_lists = get_list<long_list>(in);
  if (!in.ok() || limit > into.nodes.size()) return false;
  into.writer.set_saved(into.saved);
  const auto fits = [&](const node_edges& both) { return are_saved_or_none(into.saved, both); };
  if (!adopt_column(in, into.lists, fits) || !adopt_column(in, into.types_in)) return false;
  for (auto& nodes : into.nodes_in)
    if (const auto saved = get_list<std::uint32_t>(in); !saved.empty()) nodes.adopt(saved);
  into.node_limit.store(limit, std::memory_order_release);
  return in.ok() && adopt_long_lists(into, long_lists);
}

} // namespace

std::string graph::save(seq_no at) const {
  image_writer out;
  save(out, at);
  return out.finish();
}

void graph::save(image_writer& out, seq_no at) const {
  const reclaimer::guard inside(impl_->retired);
  const seq_no from{std::min(impl_->retained.load(std::memory_order_acquire), at.value)};
  saver states(*impl_, from, at);
  const std::uint32_t limit = impl_->node_limit.load(std::memory_order_acquire);
  for (node_no n{0}; n.value < limit; ++n.value) states.put_node(n);
  out.begin(edges_image_name);
  out.put(at.value);
  states.write(out);
  // States may have been dropped meanwhile; what is promised is what is left.
  out.put(std::min(impl_->retained.load(std::memory_order_acquire), at.value));
}

result<void> graph::load(const image_bytes& image) {
  ensure(impl_->node_limit.load() == 0, "an image is loaded into an empty graph");
  const image_bytes here = kept(image);
  auto in = image_reader::open_kept(here, edges_image_name);
  if (!in) return propagate(in);
  auto loaded = std::make_unique<impl>(impl_->nodes);
  loaded->holder = here.holder;
  const seq_no at{in->get<std::uint64_t>()};
  const bool is_whole = load_lists(*loaded, *in);
  const auto from = in->get<std::uint64_t>();
  if (!is_whole || !in->at_end() || from > at.value)
    return fail(errc::corrupt, "the image of the graph does not fit together");
  loaded->retained.store(from, std::memory_order_release);
  impl_ = std::move(loaded);
  return {};
}

} // namespace mneme
