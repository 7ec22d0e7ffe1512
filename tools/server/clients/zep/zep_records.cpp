#include "tools/server/clients/zep/zep_records.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mneme/ids.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::server::zep {

namespace {

using protocol::is_given;

constexpr std::size_t most_tag_bytes = 64;
constexpr std::string_view first_time = "1970-01-01T00:00:00Z";

std::string text_in(const json& object, std::string_view key) {
  return is_given(object, key) && object[std::string(key)].is_string()
             ? object[std::string(key)].get<std::string>()
             : std::string();
}

json given_or_null(const json& object, std::string_view key) {
  return is_given(object, key) ? object[std::string(key)] : json(nullptr);
}

json payload_of(const json& record) {
  auto payload = protocol::parse_json(text_in(record["version"], "payload"));
  return payload && payload->is_object() ? std::move(*payload) : json::object();
}

json metadata_of(const zep_graph& graph, std::string_view kind) {
  return {{"zep_kind", kind}, {"zep_graph", graph.name()}};
}

/// Keys of `body` that say something.
json kept(const json& body, std::initializer_list<std::string_view> keys) {
  json out = json::object();
  for (const auto key : keys)
    if (is_given(body, key)) out[std::string(key)] = body[std::string(key)];
  return out;
}

json eq(std::string_view field, const std::string& value) {
  return {{"eq", {field, value}}};
}

outcome<void> check_time(const json& body, std::string_view key) {
  if (!is_given(body, key)) return {};
  if (!parse_timestamp(text_in(body, key)))
    return bad_value(fmt::format("{} is a time, as 2026-01-31T10:00:00Z", key));
  return {};
}

outcome<json> write_note(const zep_graph& graph, const std::string& text, const json& body,
                         json payload) {
  if (text.empty()) return bad_value("there is nothing to remember: the text is empty");
  if (auto ok = check_time(body, "created_at"); !ok) return propagate_refusal(ok);
  json write{{"op", "write"},
             {"type", "Note"},
             {"data", {{"statement", text}}},
             {"tags", {tag_in(graph, episode_kind)}},
             {"metadata", metadata_of(graph, episode_kind)},
             {"payload", protocol::print(payload)}};
  if (is_given(body, "created_at")) write["valid_from"] = body["created_at"];
  return write;
}

void add_times(json& write, const json& triple) {
  if (is_given(triple, "valid_at")) write["valid_from"] = triple["valid_at"];
  if (!is_given(triple, "invalid_at")) return;
  write["valid_until"] = triple["invalid_at"];
  if (!is_given(triple, "valid_at")) write["valid_from"] = first_time;
}

} // namespace

outcome<zep_graph> graph_in(const json& body) {
  const auto user = text_in(body, "user_id");
  const auto graph = text_in(body, "graph_id");
  if (user.empty() == graph.empty()) return bad_value("one of user_id and graph_id is to be given");
  return user.empty() ? zep_graph{.kind = "graph", .id = graph}
                      : zep_graph{.kind = "user", .id = user};
}

json where_in(const zep_graph& graph, std::string_view kind) {
  return {{"and", {eq("meta.zep_kind", std::string(kind)), eq("meta.zep_graph", graph.name())}}};
}

std::string tag_in(const zep_graph& graph, std::string_view kind) {
  auto tag = fmt::format("zep:{}:{}", kind, graph.name());
  const bool is_ascii = std::ranges::all_of(tag, [](char c) { return c > ' ' && c < 0x7F; });
  return is_ascii && tag.size() <= most_tag_bytes ? tag : fmt::format("zep:{}", kind);
}

bool is_of(const json& record, std::string_view kind) {
  return record["metadata"].is_object() && text_in(record["metadata"], "zep_kind") == kind;
}

bool is_in(const json& record, const zep_graph& graph, std::string_view kind) {
  return is_of(record, kind) && text_in(record["metadata"], "zep_graph") == graph.name();
}

json put_named(std::string_view shelf, const std::string& name_space, const std::string& name,
               const json& body) {
  const auto what = shelf.substr(shelf.find('/') + 1);
  return {{"op", "put"},
          {"namespace", name_space},
          {"key", name},
          {"type", "Note"},
          {"data", {{"statement", fmt::format("{} of Zep: {}", what, name)}}},
          {"metadata", {{"zep_kind", what}, {"zep_user", text_in(body, "user_id")}}},
          {"lifecycle", {{"status", "archived"}}}, // nobody remembers it: it is there by its name
          {"payload", protocol::print(body)}};
}

json named_json(const json& record) {
  json out = payload_of(record);
  out["uuid"] = record["id"];
  out["created_at"] = record["created_at"];
  out["updated_at"] = record["version"]["created_at"];
  return out;
}

outcome<json> write_episode(const zep_graph& graph, const json& body) {
  if (!body.is_object()) return bad_value("an episode is {data, type}");
  const auto type = is_given(body, "type") ? text_in(body, "type") : "text";
  if (type != "text" && type != "json" && type != "message")
    return bad_value("type is text, json or message");
  json payload = kept(body, {"source_description", "metadata", "created_at", "document_id"});
  payload["source"] = type;
  return write_note(graph, text_in(body, "data"), body, std::move(payload));
}

outcome<json> write_message(const zep_graph& graph, const std::string& thread, const json& body) {
  if (!body.is_object() || text_in(body, "role").empty())
    return bad_value("a message is {role, content}");
  json payload = kept(body, {"role", "name", "metadata", "created_at"});
  payload["source"] = "message";
  payload["thread_id"] = thread;
  auto write = write_note(graph, text_in(body, "content"), body, std::move(payload));
  if (write) (*write)["metadata"]["zep_thread"] = thread;
  return write;
}

json where_in_thread(const std::string& thread) {
  return {{"and", {eq("meta.zep_kind", std::string(episode_kind)), eq("meta.zep_thread", thread)}}};
}

json episode_json(const json& record) {
  const json payload = payload_of(record);
  json out{{"uuid", record["id"]},
           {"content", record["version"]["data"]["statement"]},
           {"created_at",
            is_given(payload, "created_at") ? payload["created_at"] : record["created_at"]},
           {"source", payload.value("source", json("text"))},
           {"processed", true}};
  for (const char* key : {"source_description", "thread_id", "document_id", "metadata"})
    if (is_given(payload, key)) out[key] = payload[key];
  if (is_given(payload, "role")) {
    out["role_type"] = payload["role"];
    out["role"] = is_given(payload, "name") ? payload["name"] : payload["role"];
  }
  return out;
}

json message_json(const json& record) {
  const json payload = payload_of(record);
  json out{{"uuid", record["id"]},
           {"role", payload.value("role", json("user"))},
           {"content", record["version"]["data"]["statement"]},
           {"created_at",
            is_given(payload, "created_at") ? payload["created_at"] : record["created_at"]},
           {"processed", true}};
  for (const char* key : {"name", "metadata"})
    if (is_given(payload, key)) out[key] = payload[key];
  return out;
}

node_end end_in(const json& triple, const std::string& side) {
  node_end end{.uuid = text_in(triple, side + "_node_uuid"),
               .name = text_in(triple, side + "_node_name"),
               .summary = text_in(triple, side + "_node_summary"),
               .labels = {}};
  if (is_given(triple, side + "_node_labels") && triple[side + "_node_labels"].is_array())
    for (const auto& label : triple[side + "_node_labels"])
      if (label.is_string()) end.labels.push_back(label.get<std::string>());
  if (is_given(triple, side + "_node_attributes") && triple[side + "_node_attributes"].is_object())
    end.attributes = triple[side + "_node_attributes"];
  return end;
}

void add_node(json& items, const zep_graph& graph, const node_end& node) {
  json ingest{{"op", "ingest"},
              {"placement", "new_topic"},
              {"topic_id", node.uuid},
              {"title", node.name},
              {"summary", node.summary}};
  if (!node.labels.empty()) ingest["topic_kind"] = node.labels.front();
  for (const auto& [name, value] : node.attributes.items())
    if (!name.empty() && !value.is_null()) ingest["fields"][name] = {{"value", value}};
  items.push_back(std::move(ingest));
  json metadata = metadata_of(graph, node_kind);
  if (!node.labels.empty()) metadata["zep_labels"] = node.labels;
  items.push_back({{"op", "update_head"},
                   {"uri", fmt::format("mneme://Topic/{}#1", node.uuid)},
                   {"tags", {tag_in(graph, node_kind)}},
                   {"metadata", std::move(metadata)}});
}

json node_json(const json& record) {
  json attributes = json::object();
  if (is_given(record, "fields"))
    for (const auto& f : record["fields"])
      if (is_given(f, "current")) attributes[f["name"].get<std::string>()] = f["current"]["value"];
  const json& data = record["version"]["data"];
  return {{"uuid", record["id"]},
          {"name", data.value("title", "")},
          {"summary", text_in(data, "summary")},
          {"labels", record["metadata"].value("zep_labels", json::array())},
          {"attributes", std::move(attributes)},
          {"created_at", record["metadata"].value("zep_created_at", record["created_at"])}};
}

outcome<void> add_fact(json& items, const zep_graph& graph, const json& triple,
                       const std::string& uuid, const node_end& source, const node_end& target) {
  const auto fact = text_in(triple, "fact");
  const auto name = text_in(triple, "fact_name");
  constexpr std::array texts = {"fact", "fact_name"};
  if (auto ok = check_texts(triple, texts); !ok) return ok;
  if (fact.empty() || name.empty()) return bad_value("a triple has a fact and a fact_name");
  for (const auto key : {"created_at", "valid_at", "invalid_at", "expired_at"})
    if (auto ok = check_time(triple, key); !ok) return ok;
  const auto from = parse_timestamp(text_in(triple, "valid_at"));
  const auto until = parse_timestamp(text_in(triple, "invalid_at"));
  if (from && until && !(*from < *until)) return bad_value("invalid_at is later than valid_at");
  json payload = kept(triple, {"created_at", "valid_at", "invalid_at", "expired_at",
                               "edge_attributes", "metadata"});
  payload["name"] = name;
  payload["source_node_name"] = source.name;
  payload["target_node_name"] = target.name;
  json metadata = metadata_of(graph, edge_kind);
  metadata["zep_source"] = source.uuid;
  metadata["zep_target"] = target.uuid;
  json write{{"op", "write"},
             {"type", "Fact"},
             {"id", uuid},
             {"data",
              {{"statement", fact},
               {"subject", source.name},
               {"predicate", name},
               {"object", target.name}}},
             {"tags", {tag_in(graph, edge_kind)}},
             {"metadata", std::move(metadata)},
             {"payload", protocol::print(payload)}};
  add_times(write, triple);
  items.push_back(std::move(write));
  for (const auto* end : {&source, &target}) {
    items.push_back(
        {{"op", "add_edge"}, {"src", uuid}, {"type", "references"}, {"dst", end->uuid}});
    if (source.uuid == target.uuid) break;
  }
  return {};
}

json edge_json(const json& record) {
  const json payload = payload_of(record);
  const json& metadata = record["metadata"];
  return {{"uuid", record["id"]},
          {"name", text_in(payload, "name")},
          {"fact", record["version"]["data"]["statement"]},
          {"source_node_uuid", text_in(metadata, "zep_source")},
          {"target_node_uuid", text_in(metadata, "zep_target")},
          {"source_node_name", text_in(payload, "source_node_name")},
          {"target_node_name", text_in(payload, "target_node_name")},
          {"attributes", payload.value("edge_attributes", json::object())},
          {"episodes", json::array()},
          {"created_at",
           is_given(payload, "created_at") ? payload["created_at"] : record["created_at"]},
          {"valid_at", given_or_null(payload, "valid_at")},
          {"invalid_at", record["version"]["valid_until"]},
          {"expired_at", given_or_null(payload, "expired_at")}};
}

} // namespace mneme::server::zep
