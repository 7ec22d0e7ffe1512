#include "tools/server/clients/mem0/mem0_memory.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>

#include <fmt/format.h>

#include "mneme/ids.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/server/clients/mem0/mem0_expiry.hpp"

namespace mneme::server::mem0 {

namespace {

using protocol::is_given;

constexpr std::int64_t ns_of_a_second = 1'000'000'000;
/// The end of 2261.
constexpr std::int64_t max_seconds = 9'214'646'399;
/// One is left for the mark.
constexpr std::size_t most_metadata_keys = 63;

std::string text_in(const json& object, std::string_view key) {
  return is_given(object, key) && object[std::string(key)].is_string()
             ? object[std::string(key)].get<std::string>()
             : std::string();
}

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

/// What may be asked for by meta.KEY: metadata that is flat, as far as there is room.
json shown_metadata(const json& metadata) {
  json shown = json::object();
  if (!metadata.is_object()) return shown;
  for (const auto& [key, value] : metadata.items()) {
    if (value.is_null() || value.is_structured()) continue;
    const bool has_room = shown.size() < most_metadata_keys;
    if (has_room && is_mem0_shown(key, value))
      shown[key] = value;
    else
      shown[std::string(mem0_partial_key)] = true;
  }
  return shown;
}

json payload_of(const mem0_memory& m) {
  json payload = json::object();
  if (!m.metadata.is_null()) payload["metadata"] = m.metadata;
  if (!m.role.empty()) payload["role"] = m.role;
  if (!m.name.empty()) payload["name"] = m.name;
  if (!m.timestamp.empty()) payload["timestamp"] = m.timestamp;
  if (!m.expiration_date.empty()) payload["expiration_date"] = m.expiration_date;
  return payload;
}

/// What both requests say of the version.
void add_version(json& request, const mem0_memory& m) {
  request["data"] = {{"statement", m.text}};
  request["payload"] = protocol::print(payload_of(m));
  if (!m.timestamp.empty()) request["valid_from"] = m.timestamp;
  if (const auto until = mem0_end_of(m.expiration_date)) request["expires_at"] = to_string(*until);
}

outcome<std::string> time_of(const json& value) {
  if (value.is_string())
    if (auto at = parse_timestamp(value.get_ref<const std::string&>())) return to_string(*at);
  std::int64_t seconds = -1;
  if (value.is_number_integer()) seconds = value.get<std::int64_t>();
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) seconds = -1;
  }
  if (seconds < 0 || seconds > max_seconds) return bad_value("timestamp is in seconds since 1970");
  return to_string(timestamp{seconds * ns_of_a_second});
}

/// The text of a message: itself, or its parts of type text; nothing: it has others.
std::optional<std::string> content_of(const json& message) {
  if (!is_given(message, "content")) return std::string();
  const json& content = message["content"];
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) return std::nullopt;
  std::string text;
  for (const auto& part : content) {
    if (!part.is_object() || text_in(part, "type") != "text" || !is_given(part, "text"))
      return std::nullopt;
    text += (text.empty() ? "" : "\n") + text_in(part, "text");
  }
  return text;
}

json messages_in(const json& body) {
  if (!is_given(body, "messages")) return json::array();
  const json& given = body["messages"];
  if (given.is_string()) return json::array({{{"role", "user"}, {"content", given}}});
  return given.is_object() ? json::array({given}) : given;
}

json event(const std::string& id, std::string_view which, const json& before, const json& after,
           const json& at, const json& payload) {
  return {{"event", which},
          {"memory_id", id},
          {"old_memory", before},
          {"new_memory", after},
          {"input", json::array()},
          {"categories", json::array()},
          {"metadata", payload.value("metadata", json(nullptr))},
          {"created_at", at},
          {"updated_at", at}};
}

} // namespace

bool is_mem0_shown(std::string_view key, const json& value) {
  constexpr std::size_t most_key_bytes = 128;
  constexpr std::size_t most_text_bytes = 512;
  const bool is_short =
      value.is_boolean() || value.is_number()
      || (value.is_string() && value.get_ref<const std::string&>().size() <= most_text_bytes);
  return is_short && !key.empty() && key.size() <= most_key_bytes && key != mem0_partial_key;
}

std::optional<mem0_memory> read_mem0_memory(const json& record) {
  if (!record["tombstone"].is_null() || !is_given(record, "namespace")) return std::nullopt;
  auto owners = owners_of_namespace(record["namespace"].get_ref<const std::string&>());
  if (!owners) return std::nullopt;
  const json& version = record["version"];
  mem0_memory m;
  m.id = record["id"].get<std::string>();
  m.uri = record["uri"].get<std::string>();
  m.version = record["current_version"].get<std::int64_t>();
  m.text = text_in(version["data"], "statement");
  m.owners = std::move(*owners);
  m.created_at = record["created_at"].get<std::string>();
  m.updated_at = version["created_at"].get<std::string>();
  m.hash = version["hash"].get<std::string>();
  const auto payload = protocol::parse_json(text_in(version, "payload"));
  if (!payload || !payload->is_object()) return m; // another door wrote the version
  m.metadata = payload->value("metadata", json(nullptr));
  m.role = text_in(*payload, "role");
  m.name = text_in(*payload, "name");
  m.timestamp = text_in(*payload, "timestamp");
  m.expiration_date = text_in(*payload, "expiration_date");
  return m;
}

json mem0_json(const mem0_memory& m) {
  json out{{"id", m.id}, {"memory", m.text}};
  for (std::size_t i = 0; i < mem0_kind_names.size(); ++i)
    out[std::string(mem0_kind_names[i]) + "_id"] = text_or_null(m.owners.names[i]);
  if (!m.name.empty()) out["actor_id"] = m.name;
  if (!m.role.empty()) out["role"] = m.role;
  out["hash"] = m.hash;
  out["metadata"] = m.metadata;
  out["categories"] = json::array();
  out["created_at"] = m.timestamp.empty() ? m.created_at : m.timestamp;
  out["updated_at"] = m.updated_at;
  out["expiration_date"] = text_or_null(m.expiration_date);
  return out;
}

json mem0_put(const mem0_memory& m, const std::string& name_space, const std::string& key) {
  json put{{"op", "put"}, {"namespace", name_space}, {"key", key}, {"type", "Note"}};
  add_version(put, m);
  put["tags"] = mem0_tags(m.owners);
  put["metadata"] = shown_metadata(m.metadata);
  return put;
}

void add_mem0_update(json& items, const mem0_memory& m, bool metadata_changed) {
  json update{{"op", "update"}, {"uri", m.uri}, {"expect_version", m.version}};
  add_version(update, m);
  items.push_back(std::move(update));
  if (metadata_changed)
    items.push_back(
        {{"op", "update_head"}, {"uri", m.uri}, {"metadata", shown_metadata(m.metadata)}});
}

outcome<mem0_owners> mem0_owners_in(const json& object) {
  mem0_owners owners;
  for (std::size_t i = 0; i < mem0_kind_names.size(); ++i) {
    const std::string key = std::string(mem0_kind_names[i]) + "_id";
    if (!is_given(object, key)) continue;
    const json& name = object[key];
    if (name.is_number_integer())
      owners.names[i] = name.dump();
    else if (name.is_string() && !name.get_ref<const std::string&>().empty())
      owners.names[i] = name.get<std::string>();
    else
      return bad_value(key + " is a text that is not empty");
  }
  return owners;
}

outcome<void> take_mem0_details(const json& body, mem0_memory& m) {
  if (is_given(body, "metadata")) {
    if (!body["metadata"].is_object()) return bad_value("metadata is an object");
    m.metadata = body["metadata"];
  }
  if (is_given(body, "timestamp")) {
    auto at = time_of(body["timestamp"]);
    if (!at) return propagate_refusal(at);
    m.timestamp = std::move(*at);
  }
  if (const auto until = body.find("expiration_date"); until != body.end()) {
    m.expiration_date = until->is_string() ? until->get<std::string>() : std::string();
    if (!until->is_null() && !mem0_end_of(m.expiration_date))
      return bad_value("expiration_date is YYYY-MM-DD");
  }
  return {};
}

outcome<std::vector<mem0_memory>> mem0_messages(const json& body) {
  mem0_memory all;
  auto owners = mem0_owners_in(body);
  if (!owners) return propagate_refusal(owners);
  if (owners->empty())
    return bad_value("one of user_id, agent_id, app_id and run_id is to be given");
  all.owners = std::move(*owners);
  if (auto ok = take_mem0_details(body, all); !ok) return propagate_refusal(ok);
  const json messages = messages_in(body);
  if (!messages.is_array()) return bad_value("messages is a list of {role, content}");
  std::vector<mem0_memory> said;
  for (const auto& message : messages) {
    if (!message.is_object()) return bad_value("a message is {role, content}");
    mem0_memory m = all;
    m.role = text_in(message, "role");
    m.name = text_in(message, "name");
    auto content = content_of(message);
    if (!content) return bad_value("only text can be remembered");
    m.text = std::move(*content);
    if (m.role != "system" && !m.text.empty()) said.push_back(std::move(m));
  }
  if (said.empty()) return bad_value("messages say nothing");
  return said;
}

json mem0_history(const json& history, const mem0_owners& owners) {
  json events = json::array();
  const auto id = history["id"].get<std::string>();
  json before = nullptr;
  for (const auto& v : history["versions"] | std::views::reverse) {
    const auto payload = protocol::parse_json(text_in(v, "payload"));
    const json text = text_in(v["data"], "statement");
    events.push_back(event(id, before.is_null() ? "ADD" : "UPDATE", before, text, v["created_at"],
                           payload && payload->is_object() ? *payload : json::object()));
    before = text;
  }
  if (const json& end = history["tombstone"]; !end.is_null())
    events.push_back(event(id, "DELETE", before, nullptr, end["at"], json::object()));
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i]["id"] = fmt::format("{}-{}", id, i + 1);
    for (std::size_t k = 0; k < mem0_kind_names.size(); ++k)
      events[i][std::string(mem0_kind_names[k]) + "_id"] = text_or_null(owners.names[k]);
  }
  return events;
}

} // namespace mneme::server::mem0
