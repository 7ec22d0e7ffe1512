#include "tools/import/import_topics.hpp"

#include <algorithm>
#include <limits>

namespace mneme::importing {

namespace {

constexpr std::string_view by_import = "import";

/// What the last import said of a field; null if none did.
const field_revision* last_import(const std::vector<topic_field_view>& fields,
                                  const std::string& name) {
  const auto known =
      std::ranges::find(fields, name, [](const auto& view) { return view.field.head.name; });
  if (known == fields.end()) return nullptr;
  const auto said = std::ranges::find(known->history, by_import, &field_revision::operation);
  return said == known->history.end() ? nullptr : &*said;
}

bool says(const memory& topic, const char* key, const std::string& text) {
  const auto value = topic.version->data.find(key);
  if (value == topic.version->data.end()) return text.empty();
  const auto* known = std::get_if<std::string>(&value->second);
  return known != nullptr && *known == text;
}

result<void> put_links(import_sink& sink, const topic_source& topic, const std::string& where) {
  for (const auto& whole : topic.part_of) {
    add_edge_request edge{.src = topic.id,
                          .type = static_cast<std::uint8_t>(edge_type::part_of),
                          .dst = whole,
                          .actor = topic.actor,
                          .weight = 1.0F,
                          .kind = {},
                          .data = {},
                          .by = {},
                          .created_at = {}};
    if (auto ok = sink.put(std::move(edge), where); !ok) return ok;
  }
  return {};
}

ingest_request request_for(const topic_source& topic, ingest_placement placement) {
  ingest_request r{};
  r.placement = placement;
  r.topic_id = topic.id;
  r.actor = topic.actor;
  return r;
}

update_head_request overview(const topic_source& topic) {
  update_head_request r{};
  r.uri = {memory_type::topic, topic.id, 1};
  r.actor = topic.actor;
  r.tags = std::vector{std::string(overview_tag)};
  return r;
}

} // namespace

void add_field(topic_source& topic, std::string name, json_value value,
               std::optional<topic_field_type> type, std::optional<timestamp> since) {
  field_input f;
  f.name = std::move(name);
  f.value = std::move(value);
  f.type = type;
  f.valid_from = since;
  f.operation = by_import;
  f.provenance.source = provenance_source::imported;
  topic.fields.push_back(std::move(f));
}

void add_field(topic_source& topic, std::string name, const std::vector<std::string>& texts,
               std::optional<timestamp> since) {
  std::vector<json_value> list;
  list.reserve(texts.size());
  for (const auto& text : texts) list.push_back({text});
  add_field(topic, std::move(name), {std::move(list)}, topic_field_type::list, since);
}

result<void> put_topic(engine& target, import_sink& sink, import_report& report, topic_source topic,
                       const std::string& where) {
  auto here = sink.id_here(topic.id);
  if (!here) return std::unexpected(located(std::move(here.error()), where));
  topic.id = *here;
  auto existing = target.get(topic.id);
  const bool is_new = !existing && existing.error().code == errc::not_found;
  if (!existing && !is_new && existing.error().code != errc::erased)
    return std::unexpected(located(std::move(existing.error()), where));
  if (!is_new && (!existing || existing->head->tombstone)) {
    ++report.memories_skipped;
    return {};
  }
  if (is_new) {
    ingest_request r = request_for(topic, ingest_placement::new_topic);
    r.title = topic.title;
    if (!topic.summary.empty()) r.summary = topic.summary;
    if (!topic.kind.empty()) r.topic_kind = topic.kind;
    r.fields = topic.fields;
    report.field_revisions_added += r.fields.size();
    if (auto ok = sink.put_as_is(std::move(r), topic.id, where, &import_report::memories_added);
        !ok)
      return ok;
    if (topic.is_overview)
      if (auto ok = sink.put_as_is(overview(topic), topic.id, where, nullptr); !ok) return ok;
    return put_links(sink, topic, where);
  }
  auto fields = target.fields(
      topic.id, {.history = true, .history_limit = std::numeric_limits<std::int64_t>::max()});
  if (!fields) return std::unexpected(located(std::move(fields.error()), where));
  if (auto ok = sink.leave_out_erased(topic.id, topic.fields); !ok)
    return std::unexpected(located(std::move(ok.error()), where));
  ingest_request r = request_for(topic, ingest_placement::extend_topic);
  for (auto& f : topic.fields) {
    const field_revision* said = last_import(*fields, f.name);
    if (said == nullptr || !(said->value == f.value)) r.fields.push_back(std::move(f));
  }
  if (!says(*existing, "title", topic.title)) r.title = topic.title;
  if (!says(*existing, "summary", topic.summary)) r.summary = topic.summary;
  if (auto ok = put_links(sink, topic, where); !ok) return ok;
  if (r.fields.empty() && !r.title && !r.summary) {
    ++report.memories_unchanged;
    return {};
  }
  report.field_revisions_added += r.fields.size();
  return sink.put_as_is(std::move(r), topic.id, where, &import_report::memories_updated);
}

} // namespace mneme::importing
