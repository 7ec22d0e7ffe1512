#pragma once
/// The text of a topic: its title, its summary, and what its fields hold now, a line each. Words
/// and vectors find it by that. Pure functions of the topic's data and values.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/topics.hpp"

namespace mneme {

/// What a field holds now.
struct topic_value {
  std::string name;
  json_value value;
};

/// So much do the lines of all fields take; what is behind is not found by words.
inline constexpr std::size_t max_field_lines_bytes = 64U << 10;

/// A value as people write it: text as it is, the items of a list behind each other, the members of
/// an object with their names; a null is nothing.
std::string plain_text(const json_value& value);
/// "\nname: value" for each of `values`, which are in the order of their names; one that says
/// nothing has no line. Cut between code points.
std::string field_lines(std::span<const topic_value> values);

/// " (name: value; …)" of the values that say something, in one line: as many whole ones, in their
/// order, as take `most_bytes`. Empty if there is none.
std::string told_values(std::span<const topic_value> values, std::size_t most_bytes);

/// The field that says what else the subject of a topic is called: a list of names, or names in one
/// text with commas between them.
inline constexpr std::string_view aliases_field = "aliases";
/// What it says; no name where `values` have no such field.
std::vector<std::string> aliases_of(std::span<const topic_value> values);

/// searched_text and embedding_text (messages/text/forms.hpp) of a topic with these values.
std::string searched_topic_text(const memory_data& data, std::span<const topic_value> values);
std::string embedded_topic_text(const memory_data& data, std::span<const topic_value> values);

} // namespace mneme
