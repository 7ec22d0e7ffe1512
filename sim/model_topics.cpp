/// The model's topics: fields with their histories, saliences and the audit log.

#include <algorithm>

#include "sim/model.hpp"

namespace mneme::sim {

namespace {

template <class Item>
void drop_behind(std::vector<Item>& items, seq_no last, seq_no (*seq_of)(const Item&)) {
  while (!items.empty() && seq_of(items.back()) > last) items.pop_back();
}

} // namespace

void model::set_topic_salience(seq_no seq, const memory_id& topic, std::int64_t to_e9) {
  auto& m = memories_.at(topic);
  activation used = *m.used.at(seq);
  used.topic_salience_e9 = to_e9;
  m.used.put(seq, used);
}

void model::commit_topics(seq_no seq, const entry_payload& payload) {
  if (const auto* f = std::get_if<field_payload>(&payload)) {
    auto& field = fields_[{f->field.head.topic, f->field.head.name}];
    if (f->field.erased) {
      field.states.forget([&](seq_no since) { return since >= f->field.erased->since; });
      field.revisions.clear();
    }
    field.states.put(seq, f->field);
    for (const auto& r : f->revisions) field.revisions.emplace_back(seq, r);
    ensure(field.revisions.size() == f->field.head.revisions, "a field has all its revisions");
  } else if (const auto* archived = std::get_if<topic_archive_payload>(&payload)) {
    commit_head(seq, archived->head, false);
    set_topic_salience(seq, archived->head.id, archived->to_e9);
  } else if (const auto* merged = std::get_if<topic_merge_payload>(&payload)) {
    commit_head(seq, merged->head, false);
  } else if (const auto* set = std::get_if<topic_salience_payload>(&payload)) {
    set_topic_salience(seq, set->topic, set->to_e9);
  }
}

/// The audit log says of every change what it was.
void model::note_events(seq_no seq, entry_kind kind, const entry_payload& payload, timestamp at) {
  const auto note = [&](const memory_id& topic, topic_event_kind what) -> topic_event& {
    auto& e = events_[topic].emplace_back();
    e.seq = seq;
    e.ts = at;
    e.kind = what;
    return e;
  };
  const auto note_salience = [&](const memory_id& topic, topic_event_kind what, std::int64_t from,
                                 std::int64_t to, const char* reason) {
    auto& e = note(topic, what);
    e.from_e9 = from;
    e.to_e9 = to;
    e.reason = reason;
  };
  if (const auto* w = std::get_if<write_payload>(&payload)) {
    if (w->head.type == memory_type::topic) note(w->head.id, topic_event_kind::created);
  } else if (const auto* u = std::get_if<update_payload>(&payload)) {
    if (u->head.type != memory_type::topic) return;
    auto& meta = note(u->head.id, topic_event_kind::meta);
    meta.reason = "update";
    meta.revision = u->version.number;
    if (u->head.embedding && u->head.embedding->version == u->version.number)
      note(u->head.id, topic_event_kind::embedding).revision = u->version.number;
  } else if (const auto* late = std::get_if<embed_payload>(&payload)) {
    if (late->head.type == memory_type::topic && late->head.embedding)
      note(late->head.id, topic_event_kind::embedding).revision = late->head.current_version;
  } else if (const auto* h = std::get_if<head_payload>(&payload)) {
    if (h->head.type == memory_type::topic)
      note(h->head.id, topic_event_kind::meta).reason = std::string(to_string(kind));
  } else if (const auto* f = std::get_if<field_payload>(&payload)) {
    auto& e = note(f->field.head.topic, topic_event_kind::field);
    e.field = f->field.head.name;
    if (f->field.erased) {
      e.reason = "erased";
      return;
    }
    e.revision = f->field.current;
    if (f->revisions.front().merged_from) {
      e.reason = "merged";
      e.topic = f->revisions.front().merged_from;
    }
  } else if (const auto* archived = std::get_if<topic_archive_payload>(&payload)) {
    note_salience(archived->head.id, topic_event_kind::archived, archived->from_e9, archived->to_e9,
                  "forget");
  } else if (const auto* merged = std::get_if<topic_merge_payload>(&payload)) {
    note(merged->keeper, topic_event_kind::merged).topic = merged->head.id;
    note(merged->head.id, topic_event_kind::merged).topic = merged->keeper;
    auto& e = note(merged->head.id, topic_event_kind::archived);
    e.reason = "merged";
    e.topic = merged->keeper;
  } else if (const auto* set = std::get_if<topic_salience_payload>(&payload)) {
    note_salience(set->topic, topic_event_kind::salience, set->from_e9, set->to_e9, "set");
  } else if (const auto* bump = std::get_if<reinforce_payload>(&payload)) {
    if (bump->door != reinforcing_door::retrieve) return;
    for (const auto& item : bump->items)
      note_salience(item.id, topic_event_kind::salience, item.from_e9, item.to_e9, "query_bump");
  }
}

void model::truncate_topics(seq_no last) {
  for (auto it = fields_.begin(); it != fields_.end();) {
    auto& f = it->second;
    f.states.truncate(last);
    while (!f.revisions.empty() && f.revisions.back().first > last) f.revisions.pop_back();
    it = f.states.empty() ? fields_.erase(it) : std::next(it);
  }
  for (auto& [topic, events] : events_)
    drop_behind<topic_event>(events, last, [](const topic_event& e) { return e.seq; });
}

std::optional<topic_field> model::field_at(const memory_id& topic, std::string_view name,
                                           seq_no at) const {
  const auto found = fields_.find({topic, std::string(name)});
  if (found == fields_.end()) return std::nullopt;
  const topic_field* f = found->second.states.at(at);
  return f == nullptr || f->erased ? std::nullopt : std::optional(*f);
}

std::vector<topic_field> model::fields_at(const memory_id& topic, seq_no at) const {
  std::vector<topic_field> found;
  for (auto it = fields_.lower_bound({topic, {}}); it != fields_.end() && it->first.first == topic;
       ++it)
    if (const topic_field* f = it->second.states.at(at); f != nullptr && !f->erased)
      found.push_back(*f);
  return found;
}

std::vector<topic_field> model::erased_fields_at(const memory_id& topic, seq_no at) const {
  std::vector<topic_field> found;
  for (auto it = fields_.lower_bound({topic, {}}); it != fields_.end() && it->first.first == topic;
       ++it) {
    const topic_field* then = it->second.states.at(at);
    if (then != nullptr && !then->erased) continue;
    // What was erased since is erased as of before, too.
    for (const auto& [since, f] : it->second.states.states())
      if (then == nullptr && f.erased && f.erased->since <= at) then = &f;
    if (then != nullptr) found.push_back(*then);
  }
  return found;
}

std::vector<topic_value> model::values_at(const memory_id& topic, seq_no at) const {
  std::vector<topic_value> values;
  for (const auto& f : fields_at(topic, at)) {
    const field_revision current = revisions_of(f).at(f.current - 1);
    values.push_back({.name = f.head.name,
                      .value = current.value,
                      .valid_from = current.valid_from,
                      .valid_until = current.valid_until});
  }
  return values;
}

std::vector<topic_field> model::fields_at(seq_no at) const {
  std::vector<topic_field> found;
  for (const auto& [key, field] : fields_)
    if (const topic_field* f = field.states.at(at); f != nullptr && !f->erased) found.push_back(*f);
  return found;
}

std::vector<field_revision> model::revisions_of(const topic_field& field) const {
  const auto& all = fields_.at({field.head.topic, field.head.name}).revisions;
  std::vector<field_revision> found;
  found.reserve(field.head.revisions);
  for (std::size_t i = 0; i < field.head.revisions; ++i) found.push_back(all.at(i).second);
  return found;
}

std::vector<topic_event> model::events_at(const memory_id& topic, seq_no at) const {
  const auto found = events_.find(topic);
  if (found == events_.end()) return {};
  std::vector<topic_event> events;
  for (const auto& e : found->second)
    if (e.seq <= at) events.push_back(e);
  return events;
}

} // namespace mneme::sim
