#include "messages/text/topic_text.hpp"

#include <algorithm>
#include <ranges>
#include <type_traits>

#include <fmt/format.h>

#include "messages/text/forms.hpp"
#include "messages/text/quoted_text.hpp"
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

std::string without_blanks_around(const std::string& text) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  const auto first = text.find_first_not_of(blanks);
  return first == std::string::npos ? std::string()
                                    : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
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

std::string told_values(std::span<const topic_value> values, std::size_t most_bytes) {
  std::string told;
  for (const auto& [name, value] : values) {
    const std::string text = as_one_line(plain_text(value));
    const std::size_t bytes = name.size() + text.size() + 4; // with what stands around it
    if (text.empty() || told.size() + bytes > most_bytes) continue;
    told.append(told.empty() ? " (" : "; ").append(name).append(": ").append(text);
  }
  return told.empty() ? told : told + ")";
}

std::vector<std::string> aliases_of(std::span<const topic_value> values) {
  std::vector<std::string> names;
  const auto field = std::ranges::find(values, aliases_field, &topic_value::name);
  if (field == values.end()) return names;
  if (const auto* list = std::get_if<std::vector<json_value>>(&field->value.node)) {
    for (const auto& item : *list)
      if (const auto* name = std::get_if<std::string>(&item.node)) names.push_back(*name);
  } else if (const auto* text = std::get_if<std::string>(&field->value.node)) {
    for (const auto name : std::views::split(*text, ','))
      names.emplace_back(name.begin(), name.end());
  }
  for (auto& name : names) name = without_blanks_around(name);
  std::erase_if(names, [](const std::string& name) { return name.empty(); });
  return names;
}

std::string searched_topic_text(const memory_data& data, std::span<const topic_value> values) {
  return searched_text(memory_type::topic, data) + field_lines(values);
}

std::string embedded_topic_text(const memory_data& data, std::span<const topic_value> values) {
  return embedding_text(memory_type::topic, data) + field_lines(values);
}

} // namespace mneme
