#include <algorithm>
#include <numeric>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "index/graph/graph_state.hpp"
#include "index/image.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::string_view edges_image_name = "mnEDGES1";
constexpr std::size_t list_bytes_min = 4 + 4;
constexpr std::size_t entry_bytes = 8 + 8 + 4 + 1 + 1;

/// An edge on its way from the out list of one end to the in list of the other.
struct mirrored_edge {
  std::uint32_t owner;
  edge_entry entry;
};

void put_entry(image_writer& out, const edge_entry& e, std::uint64_t end) {
  out.put(e.begin);
  out.put(end);
  out.put(e.node);
  out.put(static_cast<std::uint8_t>(e.type));
  out.put(static_cast<std::uint8_t>(e.tombstoned));
}

/// The saved states of one list; 0 if there are none.
std::uint32_t put_list(image_writer& out, edge_list list, seq_no from, seq_no at) {
  std::uint32_t count = 0;
  edge_cursor entries(list);
  while (const edge_entry* e = entries.next()) {
    const std::uint64_t end = load_acquire(e->end);
    if (e->begin > at.value || end <= from.value) continue;
    put_entry(out, *e, end > at.value ? forever : end);
    ++count;
  }
  return count;
}

class loader {
public:
  loader(graph::impl& into, image_reader& in, seq_no at) : into_(into), in_(in), at_(at) {}

  /// False if the image cannot be right.
  bool run() {
    const std::uint64_t count = in_.get_count(list_bytes_min);
    mirrored_.reserve(in_.left() / entry_bytes);
    for (std::uint64_t i = 0; i < count; ++i)
      if (!load_list()) return false;
    if (!in_.ok()) return false;
    mirror();
    return true;
  }

private:
  bool load_list() {
    const node_no node{in_.get<std::uint32_t>()};
    const auto count = in_.get<std::uint32_t>();
    const bool ascends = node.value >= next_node_ && node.value < into_.nodes.size();
    if (!in_.ok() || !ascends || count == 0 || count > in_.left() / entry_bytes) return false;
    next_node_ = node.value + 1;
    entries_.resize(count);
    const edge_entry* before = nullptr;
    for (edge_entry& e : entries_) {
      if (!get_entry(e) || (before != nullptr && !follows(*before, e))) return false;
      before = &e;
      edge_entry back = e;
      back.node = node.value;
      back.id_prefix = prefix_of(into_.nodes.id(node));
      mirrored_.push_back({e.node, back});
      if (e.end == forever && !e.tombstoned) into_.live_edges.fetch_add(1);
    }
    into_.grow(node).out = edge_list_writer::build(entries_.data(), count);
    return true;
  }

  bool get_entry(edge_entry& e) {
    e.begin = in_.get<std::uint64_t>();
    e.end = in_.get<std::uint64_t>();
    e.node = in_.get<std::uint32_t>();
    const auto type = in_.get<std::uint8_t>();
    const auto tombstoned = in_.get<std::uint8_t>();
    if (!in_.ok() || e.node >= into_.nodes.size()) return false;
    if (type < 1 || type > edge_type_count || tombstoned > 1) return false;
    e.type = static_cast<edge_type>(type);
    e.tombstoned = tombstoned != 0;
    e.id_prefix = prefix_of(into_.nodes.id({e.node}));
    return e.begin <= at_.value && e.begin <= e.end && (e.end <= at_.value || e.end == forever);
  }

  /// Does `e` stand behind `before` in a sorted list of states that do not overlap?
  [[nodiscard]] bool follows(const edge_entry& before, const edge_entry& e) const {
    if (before.type == e.type && before.node == e.node) return before.end <= e.begin;
    return sorts_before(into_.nodes, before, e);
  }

  /// Builds the in lists: edges are dealt out to their owners, which have few each, and sorted
  /// there.
  void mirror() {
    if (mirrored_.empty()) return;
    std::vector<std::uint32_t> ends(std::size_t{into_.nodes.size()} + 1, 0);
    for (const mirrored_edge& e : mirrored_) ++ends[e.owner];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<edge_entry> by_owner(mirrored_.size());
    for (const mirrored_edge& e : mirrored_ | std::views::reverse)
      by_owner[--ends[e.owner]] = e.entry; // each becomes the begin of its owner's
    for (std::uint32_t owner = 0; owner + 1 < ends.size(); ++owner) {
      const auto edges = std::span(by_owner).subspan(ends[owner], ends[owner + 1] - ends[owner]);
      if (!edges.empty()) build_in({owner}, edges);
    }
  }

  void build_in(node_no owner, std::span<edge_entry> edges) {
    std::ranges::sort(edges, [this](const edge_entry& a, const edge_entry& b) {
      if (sorts_before(into_.nodes, a, b)) return true;
      if (sorts_before(into_.nodes, b, a)) return false;
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    for (const edge_entry& e : edges) into_.note_type_in(owner, e.type);
    into_.grow(owner).in =
        edge_list_writer::build(edges.data(), static_cast<std::uint32_t>(edges.size()));
  }

  graph::impl& into_;
  image_reader& in_;
  seq_no at_;
  std::uint32_t next_node_ = 0;
  std::vector<edge_entry> entries_;
  std::vector<mirrored_edge> mirrored_;
};

} // namespace

std::string graph::save(seq_no at) const {
  const reclaimer::guard inside(impl_->retired);
  const seq_no from{std::min(impl_->retained.load(std::memory_order_acquire), at.value)};
  image_writer out(edges_image_name);
  out.put(at.value);
  const std::size_t list_count_at = out.size();
  std::uint64_t list_count = 0;
  out.put(list_count);
  const std::uint32_t limit = impl_->node_limit.load(std::memory_order_acquire);
  for (node_no n{0}; n.value < limit; ++n.value) {
    const edge_list list = impl_->list_of(n, edge_direction::out);
    if (list == 0) continue;
    const std::size_t begin = out.size();
    out.put(n.value);
    out.put(std::uint32_t{0});
    const std::uint32_t count = put_list(out, list, from, at);
    if (count == 0) {
      out.cut(begin);
      continue;
    }
    out.put_at(begin + sizeof n.value, count);
    ++list_count;
  }
  out.put_at(list_count_at, list_count);
  // States may have been dropped meanwhile; what is promised is what is left.
  out.put(std::min(impl_->retained.load(std::memory_order_acquire), at.value));
  return out.finish();
}

result<void> graph::load(std::string_view image) {
  ensure(impl_->node_limit.load() == 0, "an image is loaded into an empty graph");
  auto in = image_reader::open(image, edges_image_name);
  if (!in) return propagate(in);
  auto loaded = std::make_unique<impl>(impl_->nodes);
  const seq_no at{in->get<std::uint64_t>()};
  const bool is_whole = loader(*loaded, *in, at).run();
  const auto from = in->get<std::uint64_t>();
  if (!is_whole || !in->at_end() || from > at.value)
    return fail(errc::corrupt, "the image of the graph does not fit together");
  loaded->retained.store(from, std::memory_order_release);
  impl_ = std::move(loaded);
  return {};
}

} // namespace mneme
