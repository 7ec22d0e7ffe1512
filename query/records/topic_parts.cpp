#include "query/records/topic_parts.hpp"

#include "messages/codec/topic_records.hpp"
#include "query/answer_bytes.hpp"
#include "query/records/read_for.hpp"
#include "query/request_numbers.hpp"
#include "views/answer_room.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

/// Runs `read` over a topic that exists at the seq asked and that the asker may see.
template <class Read>
auto read_topic(const read_views& views, const memory_id& topic, const read_options& options,
                const deadline& time, Read read)
    -> decltype(read(std::declval<kv_reader&>(), std::declval<const asker&>(), seq_no{})) {
  using answer_type =
      decltype(read(std::declval<kv_reader&>(), std::declval<const asker&>(), seq_no{}));
  return read_for(views, options, time,
                  [&](kv_reader& reader, const asker& who, seq_no at) -> answer_type {
                    auto m = visible_memory(views, reader, topic, who, at, "id");
                    if (!m) return propagate(m);
                    if (m->head->type != memory_type::topic)
                      return fail(errc::type_data_mismatch,
                                  to_string(topic) + " is a "
                                      + std::string(to_string(m->head->type)) + ", not a Topic",
                                  "id");
                    return read(reader, who, at);
                  });
}

} // namespace

result<std::vector<topic_field_view>>
read_topic_fields(const read_views& views, const memory_id& topic, const field_options& fields,
                  const read_options& options, const deadline& time,
                  std::vector<topic_field>* erased) {
  if (auto ok = check_positive(fields.history_limit, "history_limit"); !ok) return propagate(ok);
  return read_topic(
      views, topic, options, time,
      [&](kv_reader& reader, const asker& who, seq_no at) -> result<std::vector<topic_field_view>> {
        auto all = read_fields(reader, topic, at, erased);
        if (!all) return propagate(all);
        if (erased != nullptr) views.add_erased_elsewhere(topic, at, *all, *erased);
        answer_room room(views.max_answer_bytes, "ask for less history by history_limit",
                         "history_limit");
        std::vector<topic_field_view> found;
        for (auto& f : *all) {
          auto view = read_field_view(reader, std::move(f), fields);
          if (!view) return propagate(view);
          if (auto ok = cut_hidden_topics(*view, reader, who, at); !ok) return propagate(ok);
          if (auto ok = room.take(answer_bytes(*view)); !ok) return propagate(ok);
          found.push_back(std::move(*view));
        }
        return found;
      });
}

result<std::vector<topic_event>> read_topic_events(const read_views& views, const memory_id& topic,
                                                   const read_options& options,
                                                   const deadline& time) {
  answer_room room(views.max_answer_bytes, "read its events in the journal, page by page");
  return read_topic(
      views, topic, options, time,
      [&](kv_reader& reader, const asker& who, seq_no at) -> result<std::vector<topic_event>> {
        auto events = read_events(reader, topic, at,
                                  [&](const topic_event& e) { return room.take(answer_bytes(e)); });
        if (!events) return events;
        for (auto& event : *events)
          if (auto ok = cut_hidden_topics(event, reader, who, at); !ok) return propagate(ok);
        return events;
      });
}

} // namespace mneme
