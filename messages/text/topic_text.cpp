#include "messages/text/topic_text.hpp"

#include <algorithm>
#include <ranges>
#include <type_traits>

#include <fmt/format.h>

#include "messages/text/forms.hpp"
#include "messages/text/quoted_text.hpp"
#include "messages/text/time_text.hpp"
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

/// What stands around a value that is told.
constexpr std::size_t around_value = 4;

/// Between code points.
std::string cut_to(std::string text, std::size_t most_bytes) {
  if (text.size() > most_bytes) text.resize(point_start(text, most_bytes));
  return text;
}

} // namespace

std::string plain_text(const json_value& value) {
  std::string text;
  append_plain(text, value);
  return text;
}

std::string field_lines(std::span<const topic_value> values) {
  std::string lines;
  for (const auto& v : values) {
    if (const std::string text = plain_text(v.value); !text.empty())
      lines.append("\n").append(v.name).append(": ").append(text);
    if (lines.size() <= max_field_lines_bytes) continue;
    lines.resize(point_start(lines, max_field_lines_bytes));
    break;
  }
  return lines;
}

std::vector<topic_value> values_told(std::span<const topic_value> values, const value_time& when) {
  std::vector<topic_value> told;
  told.reserve(values.size());
  for (const auto& v : values) {
    if (!when.tells(v)) continue;
    told.push_back(v);
    if (!when.has_ended(v)) continue;
    std::string text = plain_text(v.value);
    if (!text.empty()) text += fmt::format(" (until {})", date_text(*v.valid_until));
    told.back().value.node = std::move(text);
  }
  return told;
}

std::string told_values(std::span<const topic_value> values, std::size_t most_bytes,
                        std::string_view wanted) {
  std::string told;
  bool has_wanted = wanted.empty();
  const auto tell = [&](const topic_value& v, std::string text) {
    const std::size_t bytes = v.name.size() + text.size() + around_value;
    if (text.empty() || told.size() + bytes > most_bytes) return;
    told.append(told.empty() ? " (" : "; ").append(v.name).append(": ").append(text);
    has_wanted = has_wanted || v.name == wanted;
  };
  for (const auto& v : values) tell(v, as_one_line(plain_text(v.value)));
  const auto left_out = std::ranges::find(values, wanted, &topic_value::name);
  if (!has_wanted && left_out != values.end()) {
    told.clear();
    const std::size_t around = wanted.size() + around_value;
    std::string text = as_one_line(plain_text(left_out->value));
    if (around < most_bytes) tell(*left_out, cut_to(std::move(text), most_bytes - around));
    for (const auto& v : values)
      if (v.name != wanted) tell(v, as_one_line(plain_text(v.value)));
  }
  return told.empty() ? told : told + ")";
}

std::string told_topic_text(const memory_data& data, std::span<const topic_value> values,
                            std::size_t most_bytes, std::string_view wanted, bool& is_cut) {
  const std::string content = searched_text(memory_type::topic, data);
  std::string text = content + field_lines(values);
  is_cut = text.size() > most_bytes;
  const auto of = std::ranges::find(values, wanted, &topic_value::name);
  if (wanted.empty() || of == values.end()) return cut_to(std::move(text), most_bytes);
  const auto behind = static_cast<std::size_t>(of - values.begin());
  const bool is_told =
      content.size() + field_lines(values.first(behind + 1)).size() <= most_bytes / 2;
  if (is_told) return cut_to(std::move(text), most_bytes);
  // A long title and summary leave the line a half.
  std::string line = field_lines(values.subspan(behind, 1));
  const std::size_t room = most_bytes - std::min(content.size(), most_bytes / 2);
  line = cut_to(std::move(line), room);
  std::string first = cut_to(content, most_bytes - line.size());
  first += line;
  first += field_lines(values.first(behind));
  first += field_lines(values.subspan(behind + 1));
  return cut_to(std::move(first), most_bytes);
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
