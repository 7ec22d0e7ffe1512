#pragma once
/// Texts of `mneme help`. Lines that start with "  $ " are commands that run, in order, in an empty
/// directory.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mneme::command {

struct help_topic {
  std::string_view name;
  std::string_view summary;
  std::string_view text;
};

std::span<const help_topic> help_topics() noexcept;

/// A topic, "ops", or one op of the line protocol (behind the topic of the same name); nullopt
/// where there is no such help.
std::optional<std::string> help_text(std::string_view topic);

} // namespace mneme::command
