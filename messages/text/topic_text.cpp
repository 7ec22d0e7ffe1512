#include "messages/text/topic_text.hpp"

#include <type_traits>

#include <fmt/format.h>

#include "messages/text/forms.hpp"
#include "messages/text/utf8_point.hpp"

namespace mneme {

namespace {

/// Behind a comma unless it is the first or says nothing.
void append_item(std::string& out, std::string_view label, const json_value& value) {
  const std::string text = plain_text(value);
  if (text.empty()) return;
  if (!out.empty()) out += ", ";
  out.append(label).append(text);
}

void append_plain(std::string& out, const json_value& value) {
  std::visit(
      [&](const auto& node) {
        using kind = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<kind, std::string>) {
          out += node;
        } else if constexpr (std::is_same_v<kind, std::vector<json_value>>) {
          for (const auto& item : node) append_item(out, {}, item);
        } else if constexpr (std::is_same_v<kind, std::vector<json_member>>) {
          for (const auto& member : node) append_item(out, member.name + ": ", member.value);
        } else if constexpr (!std::is_same_v<kind, std::monostate>) {
          fmt::format_to(std::back_inserter(out), "{}", node);
        }
      },
      value.node);
}

} // namespace

std::string plain_text(const json_value& value) {
  std::string text;
  append_plain(text, value);
  return text;
}

std::string field_lines(std::span<const topic_value> values) {
  std::string lines;
  for (const auto& [name, value] : values) {
    if (const std::string text = plain_text(value); !text.empty())
      lines.append("\n").append(name).append(": ").append(text);
    if (lines.size() <= max_field_lines_bytes) continue;
    lines.resize(point_start(lines, max_field_lines_bytes));
    break;
  }
  return lines;
}

std::string searched_topic_text(const memory_data& data, std::span<const topic_value> values) {
  return searched_text(memory_type::topic, data) + field_lines(values);
}

std::string embedded_topic_text(const memory_data& data, std::span<const topic_value> values) {
  return embedding_text(memory_type::topic, data) + field_lines(values);
}

} // namespace mneme
