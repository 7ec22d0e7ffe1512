// Answers about topics.

#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/part_json.hpp"
#include "tools/protocol/topic_json.hpp"

namespace mneme::protocol {

namespace {

json revision_json(const field_revision& r) {
  json object{{"revision", r.number},
              {"value", json_of(r.value)},
              {"valid_from", to_string(r.valid_from)},
              {"valid_until", time_json(r.valid_until)},
              {"why_changed", r.why_changed},
              {"impact_expected", r.impact_expected},
              {"operation", r.operation},
              {"created_at", to_string(r.created_at)},
              {"created_by", r.created_by}};
  if (r.provenance != provenance{}) object["provenance"] = provenance_json(r.provenance);
  if (r.merged_from) object["merged_from"] = to_string(*r.merged_from);
  return object;
}

json field_json(const topic_field_view& view) {
  const field_head& f = view.field.head;
  json history = json::array();
  for (const auto& r : view.history) history.push_back(revision_json(r));
  return {{"name", f.name},
          {"field_type", to_string(f.type)},
          {"ref_topic_id", f.ref_topic_id ? json(to_string(*f.ref_topic_id)) : json(nullptr)},
          {"salience", salience_of(view.field.salience_e9)},
          {"revisions", f.revisions},
          {"current", view.current ? revision_json(*view.current) : json(nullptr)},
          {"history", std::move(history)}};
}

json neighbours_json(const std::vector<topic_neighbour>& neighbours) {
  json list = json::array();
  for (const auto& n : neighbours)
    list.push_back({{"id", to_string(n.id)},
                    {"title", n.title},
                    {"kind", n.kind},
                    {"direction", n.outgoing ? "out" : "in"}});
  return list;
}

json bundle_json(const topic_bundle& b) {
  json object{{"topic_id", to_string(b.topic_id)},
              {"title", b.title},
              {"summary", b.summary},
              {"topic_kind", b.topic_kind},
              {"salience", salience_of(b.salience_e9)}};
  if (b.similarity) object["similarity"] = *b.similarity;
  put_standing(object, b.standing, b.trust_told, b.source_class);
  put_past(object, b.past);
  if (b.neighbours) object["neighbors"] = neighbours_json(*b.neighbours);
  if (b.fields) object["fields"] = fields_json(*b.fields);
  if (!b.erased_fields.empty()) object["erased_fields"] = erased_fields_json(b.erased_fields);
  return object;
}

} // namespace

json json_of(const json_value& v) {
  if (const auto* truth = std::get_if<bool>(&v.node)) return *truth;
  if (const auto* integer = std::get_if<std::int64_t>(&v.node)) return *integer;
  if (const auto* number = std::get_if<double>(&v.node)) return *number;
  if (const auto* text = std::get_if<std::string>(&v.node)) return *text;
  if (const auto* list = std::get_if<std::vector<json_value>>(&v.node)) {
    json array = json::array();
    for (const auto& item : *list) array.push_back(json_of(item));
    return array;
  }
  if (const auto* members = std::get_if<std::vector<json_member>>(&v.node)) {
    json object = json::object();
    for (const auto& m : *members) object[m.name] = json_of(m.value);
    return object;
  }
  return nullptr;
}

json ingest_result_json(const mutation_result& r) {
  json revisions = json::object();
  for (const auto& [name, number] : r.topics->revisions) revisions[name] = number;
  return {{"topic_id", to_string(r.uri->id)},
          {"applied", r.topics->applied},
          {"revisions", std::move(revisions)},
          {"same_title_ids", ids_json(r.topics->same_title_ids)},
          {"similar_topic_ids", ids_json(r.topics->similar_topic_ids)},
          {"seq", r.seq.value}};
}

json revise_result_json(const mutation_result& r) {
  json merged = json::array();
  for (const auto& m : r.topics->merged)
    merged.push_back({{"keeper", to_string(m.keeper)}, {"loser", to_string(m.loser)}});
  return {{"merged", std::move(merged)}, {"seq", r.seq.value}};
}

json forget_result_json(const mutation_result& r) {
  return {{"archived", ids_json(r.topics->archived)}, {"seq", r.seq.value}};
}

result<json> retrieve_json(const retrieve_result& found, const request_deadline& time) {
  auto candidates = rows_json(found.candidates, bundle_json, time.unless_written(found.seq));
  if (!candidates) return propagate(candidates);
  json answer{{"candidates", std::move(*candidates)},
              {"summary_text", found.summary_text},
              {"at_seq", found.at_seq.value}};
  if (found.seq) answer["seq"] = found.seq->value;
  return answer;
}

json fields_json(const std::vector<topic_field_view>& fields) {
  json list = json::array();
  for (const auto& view : fields) list.push_back(field_json(view));
  return list;
}

json erased_fields_json(const std::vector<topic_field>& fields) {
  json list = json::array();
  for (const topic_field& f : fields)
    list.push_back({{"name", f.head.name},
                    {"erased_at", to_string(f.erased->at)},
                    {"by", f.erased->by},
                    {"reason", f.erased->reason}});
  return list;
}

json events_json(const std::vector<topic_event>& events) {
  json list = json::array();
  for (const auto& e : events) {
    json detail = json::object();
    if (e.from_e9) detail["from"] = salience_of(*e.from_e9);
    if (e.to_e9) detail["to"] = salience_of(*e.to_e9);
    if (!e.reason.empty()) detail["reason"] = e.reason;
    if (!e.field.empty()) detail["field"] = e.field;
    if (e.revision) detail["revision"] = *e.revision;
    if (e.topic) detail["topic"] = to_string(*e.topic);
    list.push_back(
        {{"ts", to_string(e.ts)}, {"kind", to_string(e.kind)}, {"detail", std::move(detail)}});
  }
  return list;
}

} // namespace mneme::protocol
