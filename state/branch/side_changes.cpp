#include "state/branch/side_changes.hpp"

#include <algorithm>

#include "messages/codec/leaf_of.hpp"
#include "messages/ensure.hpp"
#include "state/apply/entry_parts.hpp"

namespace mneme {

namespace {

/// How a memory was before the first entry that changed it.
std::optional<memory_side> before_first(const entry& e, const head& h) {
  if (e.header.kind == entry_kind::write) return std::nullopt;
  const bool is_new_version = e.header.kind == entry_kind::update;
  memory_side before;
  before.version = h.current_version - (is_new_version ? 1 : 0);
  // Neither is done to what is tombstoned.
  if (is_new_version || e.header.kind == entry_kind::tombstone) before.tombstoned = false;
  return before;
}

void add_once(std::vector<std::string>& names, std::string_view name) {
  if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
}

} // namespace

void side_changes::take(const entry& e) {
  ensure(e.header.seq > last_, "entries are taken in their order");
  last_ = e.header.seq;
  ++totals.entries;
  ++totals.by_actor[e.header.created_by][std::string(to_string(e.header.kind))];
  for (const state_leaf& leaf : e.header.leaves)
    leaves_.at(static_cast<std::size_t>(leaf.ns)).insert_or_assign(leaf.path, leaf.value_hash);
  if (std::holds_alternative<erased_payload>(e.payload)) {
    ++totals.erased;
    // What was left of a field went with its topic.
    if (e.header.kind == entry_kind::field)
      for (const state_leaf& leaf : e.header.leaves)
        if (leaf.value_hash.is_zero())
          leaves_.at(static_cast<std::size_t>(leaf.ns)).erase(leaf.path);
    if (e.header.kind == entry_kind::write && !e.header.leaves.empty())
      written_.insert(e.header.leaves.front().path);
  }
  if (std::holds_alternative<trimmed_payload>(e.payload)) take_trimmed(e.header);
  if (const head* h = head_of(e.payload)) take_head(e, *h, version_of(e.payload));
  if (const auto* p = std::get_if<field_payload>(&e.payload)) take_field(*p);
  if (const auto* p = std::get_if<edge_payload>(&e.payload)) take_edge(e, p->edge);
  if (const auto* p = std::get_if<erase_payload>(&e.payload)) take_erased(e, *p);
  if (const auto* p = std::get_if<find_late_payload>(&e.payload))
    for (const memory_id& id : p->accessed) ++uses[id];
  if (const auto* p = std::get_if<attest_payload>(&e.payload))
    for (const memory_id& id : p->cited) ++uses[id];
  take_saliences(e);
}

/// Of contents that a trim has dropped the headers say which memory they were of. One that stays
/// follows.
void side_changes::take_trimmed(const entry_header& header) {
  if (header.leaves.empty()) return;
  const digest& path = header.leaves.front().path;
  if (header.kind == entry_kind::write) written_.insert(path);
  if (header.kind == entry_kind::update) ++updated_[path];
}

void side_changes::take_head(const entry& e, const head& h, const version* content) {
  const auto [it, is_first] = memories.try_emplace(h.id);
  changed_memory& m = it->second;
  const digest path = leaf_of(h).path;
  if (is_first && !written_.contains(path)) m.before = before_first(e, h);
  if (const auto dropped = updated_.find(path); is_first && dropped != updated_.end()) {
    // Of before the first that was dropped; nothing that is tombstoned is updated.
    if (m.before) m.before->version -= dropped->second;
    if (m.before) m.before->tombstoned = false;
    add_once(m.now.changes, to_string(entry_kind::update));
  }
  m.type = h.type;
  m.actor = h.actor_scope;
  m.now.version = h.current_version;
  m.now.tombstoned = h.tombstone.has_value();
  m.now.erased = h.erased;
  if (content != nullptr) m.now.text = content->forms.short_form;
  m.now.by = e.header.created_by;
  add_once(m.now.changes, to_string(e.header.kind));
  m.leaf = leaf_of(h);
}

/// A topic that was erased has no fields any more, and an edge is there or not as it was.
void side_changes::take_erased(const entry& e, const erase_payload& p) {
  if (p.topic) return; // an entry before it says which field
  ensure(p.head.has_value() != p.edge.has_value(), "one memory or one edge is erased");
  if (p.edge) {
    const bool is_first = !edges.contains(p.edge->key);
    take_edge(e, *p.edge);
    if (is_first) edges.at(p.edge->key).before.is_there = !p.edge->tombstoned;
    return;
  }
  std::erase_if(fields, [&](const auto& f) { return f.first.topic == p.head->id; });
  auto& named = leaves_.at(static_cast<std::size_t>(state_namespace::fields));
  for (const state_leaf& leaf : e.header.leaves)
    if (leaf.ns == state_namespace::fields) named.erase(leaf.path);
}

void side_changes::take_field(const field_payload& p) {
  const field_head& h = p.field.head;
  if (p.field.erased) {
    std::erase_if(
        fields, [&](const auto& f) { return f.first.topic == h.topic && f.first.name == h.name; });
    leaves_.at(static_cast<std::size_t>(state_namespace::fields)).erase(no_leaf_of(h).path);
    return;
  }
  const auto [it, is_first] = fields.try_emplace({h.topic, h.name});
  changed_field& f = it->second;
  const auto fresh = static_cast<std::uint32_t>(p.revisions.size());
  if (is_first && h.revisions > fresh)
    f.before = field_side{.revisions = h.revisions - fresh, .value = {}};
  f.now.revisions = h.revisions;
  for (const field_revision& r : p.revisions)
    if (r.number == p.field.current) f.now.value = r.value;
  f.leaf = leaf_of(h);
}

void side_changes::take_edge(const entry& e, const edge_record& r) {
  const auto [it, is_first] = edges.try_emplace(r.key);
  changed_edge& edge = it->second;
  // Only what is not there is added, and only what is there ends; but one that an export brings may
  // have ended long before.
  const bool ended_now = r.tombstoned && r.tombstoned_at == e.header.created_at;
  if (is_first && (!r.tombstoned || ended_now)) edge.before.is_there = r.tombstoned;
  edge.now.is_there = !r.tombstoned;
  edge.now.weight = r.tombstoned ? std::nullopt : std::optional(r.weight);
  edge.leaf = leaf_of(r);
}

void side_changes::set_salience(const memory_id& id, bool is_strength,
                                std::optional<std::int64_t> from, std::int64_t to) {
  const auto [it, is_first] = saliences.try_emplace({id, is_strength});
  if (is_first) it->second.before = from;
  it->second.now = to;
}

void side_changes::take_saliences(const entry& e) {
  if (const auto* p = std::get_if<topic_salience_payload>(&e.payload))
    set_salience(p->topic, false, p->from_e9, p->to_e9);
  if (const auto* p = std::get_if<topic_archive_payload>(&e.payload))
    set_salience(p->head.id, false, p->from_e9, p->to_e9);
  if (const auto* p = std::get_if<reinforce_payload>(&e.payload))
    for (const reinforced_item& item : p->items)
      set_salience(item.id, p->door == reinforcing_door::chroma, item.from_e9, item.to_e9);
  if (const auto* p = std::get_if<decay_cycle_payload>(&e.payload))
    for (const decayed_item& item : p->items) set_salience(item.id, true, {}, item.strength_e9);
}

bool side_changes::leaves_agree() const {
  std::size_t told = 0;
  const auto is_that = [&](const state_leaf& leaf) {
    const auto& named = leaves_.at(static_cast<std::size_t>(leaf.ns));
    const auto it = named.find(leaf.path);
    ++told;
    return it != named.end() && it->second == leaf.value_hash;
  };
  for (const auto& [id, m] : memories)
    if (!is_that(m.leaf)) return false;
  for (const auto& [key, f] : fields)
    if (!is_that(f.leaf)) return false;
  for (const auto& [key, edge] : edges)
    if (!is_that(edge.leaf)) return false;
  std::size_t named = 0;
  for (const auto& tree : leaves_) named += tree.size();
  return told == named;
}

} // namespace mneme
