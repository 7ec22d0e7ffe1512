#include "state/execute/overlay.hpp"

#include <algorithm>

#include "messages/codec/records.hpp"
#include "messages/ensure.hpp"
#include "messages/text/hashtag.hpp"
#include "views/memory_keys.hpp"

namespace mneme {

result<std::optional<head>> overlay::head(const memory_id& id) {
  if (auto it = top_.heads.find(id); it != top_.heads.end()) return it->second;
  if (auto it = base_.heads.find(id); it != base_.heads.end()) return it->second;
  // Most new ids are unknown to the node table, which answers without touching the store.
  if (views_.nodes->find(id).value == no_number) return std::optional<mneme::head>{};
  return read_head(reader_, id, at_);
}

result<std::optional<head>> overlay::keyed(const memory_key& key) {
  memory_id id;
  if (auto it = top_.keys.find(key); it != top_.keys.end()) {
    id = it->second;
  } else if (auto in_base = base_.keys.find(key); in_base != base_.keys.end()) {
    id = in_base->second;
  } else {
    const node_no node = keyed_node(views_, key, at_);
    if (node.value == no_number) return std::optional<mneme::head>{};
    id = views_.nodes->id(node);
  }
  auto found = head(id);
  if (found && found->has_value() && (*found)->key != key) found->reset(); // an import took it away
  return found;
}

std::vector<memory_id> overlay::may_have_ended(timestamp now) const {
  std::vector<memory_id> ids;
  for (const layer* written : {&top_, &base_})
    for (const auto& [id, h] : written->heads)
      if (!h.tombstone) ids.push_back(id);
  views_.attributes->ending()->for_each([&](row_no row) {
    const row_line& line = views_.attributes->rows().line(row);
    if ((line.flags & row_gone) == 0 && line.valid_until_ns <= now.ns
        && views_.attributes->alive(row, at_))
      ids.push_back(views_.nodes->id({line.node}));
    return true;
  });
  std::ranges::sort(ids);
  const auto twice = std::ranges::unique(ids);
  ids.erase(twice.begin(), twice.end());
  return ids;
}

bool overlay::knows(const memory_id& id) const {
  return top_.heads.contains(id) || base_.heads.contains(id)
         || views_.nodes->find(id).value != no_number;
}

bool overlay::is_erased(const memory_id& id) const {
  const node_no node = views_.nodes->find(id);
  return views_.is_erased_elsewhere(id)
         || (node.value != no_number && views_.attributes->rows().is_erased(node));
}

result<std::optional<edge_record>> overlay::edge(const edge_key& key) {
  if (auto it = top_.edges.find(key); it != top_.edges.end()) return it->second;
  if (auto it = base_.edges.find(key); it != base_.edges.end()) return it->second;
  if (!may_be_published(key)) return std::optional<edge_record>{};
  return read_edge(reader_, key, at_);
}

/// Most new edges are between memories that have few, and of these the graph knows all, without a
/// look at the store.
bool overlay::may_be_published(const edge_key& key) const {
  const node_no src = views_.nodes->find(key.src);
  if (src.value == no_number || !views_.graph->has_edges_out(src)) return false;
  const node_no dst = views_.nodes->find(key.dst);
  if (dst.value == no_number) return false;
  constexpr int looked_at = 32; // more than that, and the store is asked
  int seen = 0;
  bool found = false;
  views_.graph->neighbours(src, edge_direction::out, at_, true, [&](const neighbour& n) {
    found = (n.type == key.type && n.node == dst) || ++seen == looked_at;
    return !found && n.type <= key.type;
  });
  return found;
}

std::vector<float> overlay::vector_of(const memory_id& id) {
  if (auto it = top_.vectors.find(id); it != top_.vectors.end()) return it->second;
  // Content that waits for its vector has not got that of the content before it.
  for (const layer* written : {&top_, &base_})
    if (auto it = written->heads.find(id); it != written->heads.end()) {
      if (!it->second.embedding) return {};
      break;
    }
  if (auto it = base_.vectors.find(id); it != base_.vectors.end()) return it->second;
  const node_no node = views_.nodes->find(id);
  if (node.value == no_number) return {};
  const row_no row = views_.attributes->row_of(node, at_);
  if (row.value == no_number) return {};
  const auto values = views_.vectors->get(views_.attributes->slot(row));
  return {values.begin(), values.end()};
}

const vector_space& overlay::space() const {
  return top_.space.dim != 0 ? top_.space : base_.space;
}

std::optional<tag_assignment> overlay::tag(std::string_view normalised) const {
  const std::string_view key = hashtag_key(normalised);
  if (auto it = top_.tags.find(key); it != top_.tags.end()) return it->second;
  if (auto it = base_.tags.find(key); it != base_.tags.end()) return it->second;
  return views_.attributes->colours().tags().find(normalised, at_);
}

bool overlay::is_taken(std::uint32_t anchor) const {
  return top_.taken.contains(anchor) || base_.taken.contains(anchor)
         || views_.attributes->colours().tags().taken(anchor, at_);
}

std::string overlay::search() const {
  if (top_.search) return *top_.search;
  if (base_.search) return *base_.search;
  const auto set = views_.attributes->search_at(at_);
  return set == nullptr ? std::string() : set->weights;
}

std::optional<colour_signals> overlay::signals_of(const memory_id& id) const {
  if (auto it = top_.signals.find(id); it != top_.signals.end()) return it->second;
  if (auto it = base_.signals.find(id); it != base_.signals.end()) return it->second;
  const node_no node = views_.nodes->find(id);
  if (node.value == no_number) return {};
  return views_.attributes->colours().signals_of(node, at_);
}

std::optional<memory_mode> overlay::mode_of(const memory_id& id) const {
  const node_no node = views_.nodes->find(id);
  if (node.value == no_number) return {};
  return views_.attributes->colours().mode_of(node);
}

void overlay::put(const tag_assignment& assignment) {
  top_.tags.insert_or_assign(std::string(hashtag_key(assignment.tag)), assignment);
  ensure(top_.taken.insert(assignment.anchor).second, "an anchor is bound once");
}

void overlay::put_search(std::string weights) {
  top_.search = std::move(weights);
}

void overlay::put(const memory_id& id, const colour_signals& signals) {
  top_.signals.insert_or_assign(id, signals);
}

void overlay::put(const mneme::head& h) {
  if (h.key) top_.keys.insert_or_assign(*h.key, h.id);
  top_.heads.insert_or_assign(h.id, h);
}

void overlay::put(const edge_record& e) {
  top_.edges.insert_or_assign(e.key, e);
  top_.edges_in.emplace(e.key.dst, e.key);
}

void overlay::put_vector(const memory_id& id, const spaced_vector& v) {
  ensure(v.space.dim == v.values.size(), "a vector has the dimension of its space");
  top_.vectors.insert_or_assign(id, v.values);
  top_.space = v.space;
}

void overlay::put(const version& v) {
  if (v.type == memory_type::topic) top_.versions.insert_or_assign(v.id, v);
}

void overlay::put(const topic_field& f, const std::vector<field_revision>& fresh) {
  const std::pair key(f.head.topic, f.head.name);
  top_.fields.insert_or_assign(key, f);
  auto& revisions = top_.revisions[key];
  revisions.insert(revisions.end(), fresh.begin(), fresh.end());
}

void overlay::put_topic_salience(const memory_id& id, std::int64_t e9) {
  top_.saliences_e9.insert_or_assign(id, e9);
}

namespace {

/// What `from` has counts; nothing is copied.
template <class Map>
void move_over(Map& from, Map& to) {
  if (to.empty()) return to.swap(from);
  while (!from.empty()) {
    auto placed = to.insert(from.extract(from.begin()));
    if (!placed.inserted) placed.position->second = std::move(placed.node.mapped());
  }
}

} // namespace

void overlay::keep_layer() {
  move_over(top_.heads, base_.heads);
  move_over(top_.keys, base_.keys);
  move_over(top_.edges, base_.edges);
  base_.edges_in.merge(top_.edges_in);
  move_over(top_.vectors, base_.vectors);
  base_.tags.merge(top_.tags);
  base_.taken.merge(top_.taken);
  for (auto& [id, s] : top_.signals) base_.signals.insert_or_assign(id, s);
  if (top_.search) base_.search = std::move(top_.search);
  if (top_.space.dim != 0) base_.space = std::move(top_.space);
  move_over(top_.versions, base_.versions);
  for (const auto& [id, e9] : top_.saliences_e9) base_.saliences_e9.insert_or_assign(id, e9);
  move_over(top_.fields, base_.fields);
  for (auto& [key, fresh] : top_.revisions) {
    auto& revisions = base_.revisions[key];
    for (auto& r : fresh) revisions.push_back(std::move(r));
  }
  top_ = {};
}

void overlay::drop_layer() {
  top_ = {};
}

} // namespace mneme
