#pragma once
/// The text of a topic: its title, its summary, and what its fields hold now, a line each. Words
/// and vectors find it by that. Pure functions of the topic's data and values.

#include <cstddef>
#include <optional>
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
  timestamp valid_from{};
  std::optional<timestamp> valid_until{};
};

/// By when it is judged whether a value holds.
struct value_time {
  timestamp instant;
  bool is_asked = false; ///< a time of the request's own: what begins later is not told either
  bool includes_ended = false;

  [[nodiscard]] bool has_ended(const topic_value& value) const {
    return value.valid_until && *value.valid_until <= instant;
  }
  [[nodiscard]] bool tells(const topic_value& value) const {
    return (includes_ended || !has_ended(value)) && (!is_asked || value.valid_from <= instant);
  }
};

/// So much do the lines of all fields take; what is behind is not found by words.
inline constexpr std::size_t max_field_lines_bytes = 64U << 10;

/// A value as people write it: text as it is, the items of a list behind each other, the members of
/// an object with their names; a null is nothing.
std::string plain_text(const json_value& value);
/// "\nname: value" for each of `values`, which are in the order of their names; one that says
/// nothing has no line. Cut between code points.
std::string field_lines(std::span<const topic_value> values);

/// Those that are told, in their order; behind what has ended, since when: "value (until
/// 2026-01-01)".
std::vector<topic_value> values_told(std::span<const topic_value> values, const value_time& when);

/// " (name: value; …)" of the values that say something, in one line: as many whole ones, in their
/// order, as take `most_bytes`. Empty if there is none. The one named `wanted` is told first where
/// it would not be told, and is cut where it is too long itself.
std::string told_values(std::span<const topic_value> values, std::size_t most_bytes,
                        std::string_view wanted = {});
/// The text of a topic as it is shown: `most_bytes` of it at most, cut between code points. The
/// line of the field named `wanted` stands first among the lines where it would not be in the first
/// half: who shows less shows it, too.
std::string told_topic_text(const memory_data& data, std::span<const topic_value> values,
                            std::size_t most_bytes, std::string_view wanted, bool& is_cut);

/// The field that says what else the subject of a topic is called: a list of names, or names in one
/// text with commas between them.
inline constexpr std::string_view aliases_field = "aliases";
/// What it says; no name where `values` have no such field.
std::vector<std::string> aliases_of(std::span<const topic_value> values);

/// searched_text and embedding_text (messages/text/forms.hpp) of a topic with these values.
std::string searched_topic_text(const memory_data& data, std::span<const topic_value> values);
std::string embedded_topic_text(const memory_data& data, std::span<const topic_value> values);

} // namespace mneme
