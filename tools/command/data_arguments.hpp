#pragma once
/// Typed data as FIELD=VALUE arguments, read by the schema of the type.

#include <optional>
#include <string>
#include <vector>

#include "tools/protocol/json_text.hpp"

namespace mneme::command {

using protocol::json;

/// The `data` object. A list field may be given several times; cost.asset=… works.
result<json> read_data_arguments(const std::string& type,
                                 const std::vector<std::string>& arguments);

/// Hashtags in one argument, apart by white space or commas, as a list.
json hashtags_argument(const std::string& text);

/// {topic, name} of "TOPIC:NAME", or bad_value at `fields`.
result<json> topic_field_argument(const std::string& text);

/// Sets `key` to the JSON in `text`, if it was given.
result<void> set_json(json& request, const char* key, const std::optional<std::string>& text);

} // namespace mneme::command
