#include "tools/server/json_schema.hpp"

#include <nlohmann/json.hpp>

#include "tools/server/access/key_notes.hpp"

namespace mneme::server {

namespace {

json object_schema(std::span<const protocol::key_shape> keys) {
  json properties = json::object();
  json required = json::array();
  for (const auto& key : keys) {
    properties[std::string(key.name)] = schema_of(*key.value);
    if (key.required) required.push_back(key.name);
  }
  json schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

} // namespace

json schema_of(const protocol::shape& s) {
  using enum protocol::shape_kind;
  switch (s.kind) {
  case text:
    return {{"type", "string"}};
  case integer:
    return {{"type", "integer"}};
  case number:
    return {{"type", "number"}};
  case boolean:
    return {{"type", "boolean"}};
  case time:
    return {{"type", {"string", "integer"}}};
  case object:
    if (!s.or_plain) return object_schema(s.keys);
    return {
        {"anyOf", {object_schema(s.keys), {{"type", {"string", "number", "boolean", "array"}}}}}};
  case list:
    return {{"type", "array"}, {"items", schema_of(*s.item)}};
  case map:
    return {{"type", "object"}, {"additionalProperties", schema_of(*s.item)}};
  case custom:
    return s.json_schema.empty() ? json::object() : json::parse(s.json_schema);
  }
  return json::object();
}

json schema_of_key(std::string_view op, const protocol::key_shape& key) {
  json schema = schema_of(*key.value);
  const key_note note = note_of(op, key.name);
  if (!note.names.empty()) {
    json& target = schema.contains("items") ? schema["items"] : schema;
    target["enum"] = note.names;
  }
  std::string text = note.text;
  if (key.value->kind == protocol::shape_kind::time)
    text += std::string(text.empty() ? "" : " ") + "RFC 3339, or nanoseconds since 1970.";
  if (!text.empty()) schema["description"] = std::move(text);
  return schema;
}

json request_schema(const protocol::op_spec& op) {
  json properties = json::object();
  json required = json::array();
  for (const auto& key : op.keys) {
    properties[std::string(key.name)] = schema_of_key(op.name, key);
    if (key.required) required.push_back(key.name);
  }
  json schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

} // namespace mneme::server
