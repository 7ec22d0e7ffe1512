// What the overlay knows of topics: the published state and what the batch has changed.

#include <algorithm>
#include <array>

#include "state/execute/overlay.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

std::vector<memory_id> overlay::topics() {
  std::set<memory_id> ids;
  views_.attributes->with_type(memory_type::topic, at_)->for_each([&](row_no row) {
    if (views_.attributes->alive(row, at_))
      ids.insert(views_.nodes->id(views_.attributes->node(row)));
    return true;
  });
  for (const auto* part : {&base_, &top_})
    for (const auto& [id, h] : part->heads)
      if (h.type == memory_type::topic) ids.insert(id);
  return {ids.begin(), ids.end()};
}

result<version> overlay::topic_version(const mneme::head& h) {
  for (const auto* part : {&top_, &base_})
    if (auto it = part->versions.find(h.id); it != part->versions.end()) return it->second;
  auto found = read_version(reader_, h.id, h.current_version);
  if (!found) return propagate(found);
  if (!found->has_value())
    return fail(errc::corrupt, "the current version of " + to_string(h.id) + " is missing");
  return std::move(**found);
}

std::int64_t overlay::topic_salience_e9(const memory_id& id) {
  for (const auto* part : {&top_, &base_})
    if (auto it = part->saliences_e9.find(id); it != part->saliences_e9.end()) return it->second;
  const node_no node = views_.nodes->find(id);
  if (node.value == no_number) return salience_one_e9;
  return views_.attributes->activation_of(node, at_).topic_salience_e9;
}

result<std::optional<topic_field>> overlay::field(const memory_id& topic, const std::string& name) {
  const std::pair key(topic, name);
  for (const auto* part : {&top_, &base_})
    if (auto it = part->fields.find(key); it != part->fields.end()) return it->second;
  if (views_.nodes->find(topic).value == no_number) return std::optional<topic_field>{};
  return read_field(reader_, topic, name, at_);
}

result<bool> overlay::is_field_erased(const memory_id& topic, const std::string& name) {
  auto known = field(topic, name);
  if (!known) return propagate(known);
  if (known->has_value()) return false;
  std::vector<topic_field> erased;
  const std::array<std::string_view, 1> names{name};
  auto published = read_fields_named(reader_, topic, names, at_, &erased);
  if (!published) return propagate(published);
  views_.add_erased_elsewhere(topic, at_, *published, erased);
  return std::ranges::any_of(erased, [&](const topic_field& f) { return f.head.name == name; });
}

result<std::vector<topic_field>> overlay::fields(const memory_id& topic) {
  auto published = read_fields(reader_, topic, at_);
  if (!published) return propagate(published);
  std::map<std::string, topic_field> by_name;
  for (auto& f : *published) by_name.emplace(f.head.name, std::move(f));
  for (const auto* part : {&base_, &top_})
    for (auto it = part->fields.lower_bound({topic, {}});
         it != part->fields.end() && it->first.first == topic; ++it)
      by_name.insert_or_assign(it->first.second, it->second);
  std::vector<topic_field> all;
  all.reserve(by_name.size());
  for (auto& [name, f] : by_name) all.push_back(std::move(f));
  return all;
}

result<std::vector<topic_value>> overlay::values(const memory_id& topic) {
  auto all = fields(topic);
  if (!all) return propagate(all);
  const auto fresh = [&](const topic_field& f) -> const field_revision* {
    for (const auto* part : {&top_, &base_}) {
      const auto known = part->revisions.find({topic, f.head.name});
      if (known == part->revisions.end()) continue;
      const auto r = std::ranges::find(known->second, f.current, &field_revision::number);
      if (r != known->second.end()) return &*r;
    }
    return nullptr;
  };
  std::vector<topic_value> values;
  values.reserve(all->size());
  for (auto& f : *all) {
    if (const field_revision* r = fresh(f)) {
      values.push_back({f.head.name, r->value});
      continue;
    }
    auto stored = read_revision(reader_, f.head, f.current);
    if (!stored) return propagate(stored);
    values.push_back({std::move(f.head.name), std::move(stored->value)});
  }
  return values;
}

result<std::vector<field_revision>> overlay::revisions(const field_head& field) {
  auto published = read_field(reader_, field.topic, field.name, at_);
  if (!published) return propagate(published);
  std::vector<field_revision> all;
  if (published->has_value()) {
    auto read = read_revisions(reader_, (*published)->head);
    if (!read) return propagate(read);
    all = std::move(*read);
  }
  for (const auto* part : {&base_, &top_})
    if (auto it = part->revisions.find({field.topic, field.name}); it != part->revisions.end())
      all.insert(all.end(), it->second.begin(), it->second.end());
  return all;
}

result<std::vector<edge_record>> overlay::live_edges(const memory_id& id) {
  std::set<edge_key> keys;
  if (const node_no node = views_.nodes->find(id); node.value != no_number)
    for (const auto direction : {edge_direction::out, edge_direction::in})
      views_.graph->neighbours(node, direction, at_, false, [&](const neighbour& n) {
        const memory_id& other = views_.nodes->id(n.node);
        keys.insert(direction == edge_direction::out ? edge_key{id, n.type, other}
                                                     : edge_key{other, n.type, id});
        return true;
      });
  for (const auto* part : {&base_, &top_}) {
    for (auto it = part->edges.lower_bound({.src = id, .type = {}, .dst = {}});
         it != part->edges.end() && it->first.src == id; ++it)
      keys.insert(it->first);
    for (auto it = part->edges_in.lower_bound({id, {}});
         it != part->edges_in.end() && it->first == id; ++it)
      keys.insert(it->second);
  }
  std::vector<edge_record> live;
  for (const auto& key : keys) {
    auto e = edge(key);
    if (!e) return propagate(e);
    if (e->has_value() && !(*e)->tombstoned) live.push_back(std::move(**e));
  }
  return live;
}

} // namespace mneme
