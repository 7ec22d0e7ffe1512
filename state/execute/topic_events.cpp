#include "state/execute/topic_events.hpp"

namespace mneme {

namespace {

class event_list {
public:
  explicit event_list(const entry_header& h) : header_(h) {}

  topic_event& add(const memory_id& topic, topic_event_kind kind, std::string reason = {}) {
    topic_event e;
    e.seq = header_.seq;
    e.ts = header_.created_at;
    e.kind = kind;
    e.reason = std::move(reason);
    return events_.emplace_back(topic, std::move(e)).second;
  }
  void add_salience(const memory_id& topic, topic_event_kind kind, std::int64_t from_e9,
                    std::int64_t to_e9, std::string reason) {
    topic_event& e = add(topic, kind, std::move(reason));
    e.from_e9 = from_e9;
    e.to_e9 = to_e9;
  }
  std::vector<std::pair<memory_id, topic_event>> take() { return std::move(events_); }

private:
  const entry_header& header_;
  std::vector<std::pair<memory_id, topic_event>> events_;
};

void add(event_list& events, const entry_header&, const write_payload& p) {
  if (p.head.type == memory_type::topic) events.add(p.head.id, topic_event_kind::created);
}

void add(event_list& events, const entry_header&, const update_payload& p) {
  if (p.head.type != memory_type::topic) return;
  events.add(p.head.id, topic_event_kind::meta, "update").revision = p.version.number;
  if (p.head.embedding && p.head.embedding->version == p.version.number)
    events.add(p.head.id, topic_event_kind::embedding).revision = p.version.number;
}

void add(event_list& events, const entry_header& h, const head_payload& p) {
  if (p.head.type == memory_type::topic)
    events.add(p.head.id, topic_event_kind::meta, std::string(to_string(h.kind)));
}

void add(event_list& events, const entry_header&, const embed_payload& p) {
  if (p.head.type == memory_type::topic && p.head.embedding)
    events.add(p.head.id, topic_event_kind::embedding).revision = p.head.embedding->version;
}

void add(event_list& events, const entry_header&, const field_payload& p) {
  topic_event& e = events.add(p.field.head.topic, topic_event_kind::field);
  e.field = p.field.head.name;
  if (p.field.erased) {
    e.reason = "erased";
    return;
  }
  e.revision = p.field.current;
  // A merge files another topic's revisions; the current one stays what it is.
  if (!p.revisions.empty() && p.revisions.front().merged_from) {
    e.reason = "merged";
    e.topic = p.revisions.front().merged_from;
  }
}

void add(event_list& events, const entry_header&, const topic_archive_payload& p) {
  events.add_salience(p.head.id, topic_event_kind::archived, p.from_e9, p.to_e9, "forget");
}

void add(event_list& events, const entry_header&, const topic_merge_payload& p) {
  events.add(p.keeper, topic_event_kind::merged).topic = p.head.id;
  events.add(p.head.id, topic_event_kind::merged).topic = p.keeper;
  events.add(p.head.id, topic_event_kind::archived, "merged").topic = p.keeper;
}

void add(event_list& events, const entry_header&, const topic_salience_payload& p) {
  events.add_salience(p.topic, topic_event_kind::salience, p.from_e9, p.to_e9, p.reason);
}

void add(event_list& events, const entry_header&, const reinforce_payload& p) {
  if (p.door != reinforcing_door::retrieve) return;
  for (const auto& item : p.items)
    events.add_salience(item.id, topic_event_kind::salience, item.from_e9, item.to_e9,
                        "query_bump");
}

template <class Payload>
void add(event_list&, const entry_header&, const Payload&) {
}

} // namespace

std::vector<std::pair<memory_id, topic_event>> events_of(const entry& e) {
  event_list events(e.header);
  std::visit([&](const auto& p) { add(events, e.header, p); }, e.payload);
  return events.take();
}

} // namespace mneme
