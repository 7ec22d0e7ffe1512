#include "tools/command/data_arguments.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/validate/schema.hpp"
#include "tools/protocol/near_name.hpp"

namespace mneme::command {

namespace {

/// Text as the JSON type that the field has; what does not parse stays text, and the request's
/// check then says what is wrong with it.
json value_of(field_kind kind, const std::string& text) {
  const bool is_plain = kind == field_kind::text || kind == field_kind::name
                        || kind == field_kind::id || kind == field_kind::text_list
                        || kind == field_kind::time;
  if (is_plain) return text;
  auto parsed = protocol::parse_json(text);
  return parsed ? std::move(*parsed) : json(text);
}

std::unexpected<error> unknown_field(memory_type type, const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto& f : fields_of(type)) names.push_back(f.name);
  return fail(errc::unknown_key,
              fmt::format("{} has no field \"{}\"{}", to_string(type), name,
                          protocol::suggestion(name, names)),
              "data." + name);
}

} // namespace

result<json> read_data_arguments(const std::string& type_name,
                                 const std::vector<std::string>& arguments) {
  const auto type = parse_enum<memory_type>(type_name);
  if (!type) return fail(errc::bad_value, protocol::not_a_memory_type(type_name), "type");
  json data = json::object();
  for (const auto& argument : arguments) {
    const auto equals = argument.find('=');
    if (equals == std::string::npos)
      return fail(errc::bad_value, fmt::format("expected FIELD=VALUE, not \"{}\"", argument),
                  "data");
    const std::string name = argument.substr(0, equals);
    const field_schema* field = find_field(*type, name);
    if (field == nullptr) return unknown_field(*type, name);
    json value = value_of(field->kind, argument.substr(equals + 1));
    const auto dot = name.find('.');
    json& slot =
        dot == std::string::npos ? data[name] : data[name.substr(0, dot)][name.substr(dot + 1)];
    if (field->kind == field_kind::text_list)
      slot.push_back(std::move(value));
    else if (!slot.is_null())
      return fail(errc::bad_value, fmt::format("{} is given twice", name), "data." + name);
    else
      slot = std::move(value);
  }
  return data;
}

result<json> topic_field_argument(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos)
    return fail(errc::bad_value, fmt::format("expected TOPIC:NAME, not \"{}\"", text), "fields");
  return json{{"topic", text.substr(0, colon)}, {"name", text.substr(colon + 1)}};
}

result<void> set_json(json& request, const char* key, const std::optional<std::string>& text) {
  if (!text) return {};
  auto value = protocol::parse_json(*text);
  if (!value) return fail(value.error().code, value.error().message, key);
  request[key] = std::move(*value);
  return {};
}

json hashtags_argument(const std::string& text) {
  json list = json::array();
  constexpr std::string_view separators = " \t\n\v\f\r,";
  for (std::size_t at = text.find_first_not_of(separators); at != std::string::npos;) {
    const std::size_t end = text.find_first_of(separators, at);
    list.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(separators, end);
  }
  return list;
}

} // namespace mneme::command
