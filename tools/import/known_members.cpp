#include "tools/import/known_members.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "tools/protocol/data_json.hpp"

namespace mneme::importing {

using protocol::json;

result<json> known_members(const json& line, std::span<const protocol::key_shape> keys,
                           metadata_map& other) {
  json known = json::object();
  json rest = json::object();
  const protocol::json_path document;
  for (const auto& [key, value] : line.get_ref<const json::object_t&>()) {
    if (std::ranges::find(keys, key, &protocol::key_shape::name) != keys.end())
      known[key] = value;
    else if (protocol::check_meta_value(value, line, document))
      rest[key] = value;
  }
  other = protocol::read_metadata(rest);
  if (auto ok = protocol::check_members(known, keys, false, document); !ok) return propagate(ok);
  return known;
}

std::string text_member(const protocol::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

result<std::string> needed_text(const protocol::json& object, const char* key) {
  const protocol::json_path document;
  if (!object.is_object()) return protocol::wrong_type("an object", object, document);
  if (protocol::is_given(object, key) && !object[key].is_string())
    return protocol::wrong_type("text", object[key], document.key(key));
  std::string text = text_member(object, key);
  if (text.empty())
    return fail(errc::missing_key, "the key \"" + std::string(key) + "\" is missing", key);
  return text;
}

} // namespace mneme::importing
