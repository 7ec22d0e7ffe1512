#pragma once
/// Text that nobody vouches for, as a model may read it.

#include <optional>
#include <string>
#include <string_view>

#include "mneme/types.hpp"

namespace mneme {

/// What is trusted less than this is quoted wherever it is put before a model.
inline constexpr double trust_unquoted = 0.5;

/// Line breaks, control characters and those that turn the direction of writing become spaces, so
/// that the text cannot look like a line of anybody else, nor command a terminal.
std::string as_one_line(std::string_view text);
/// The same, but lines stay lines, and tabs.
std::string as_plain_lines(std::string_view text);

/// One line: "> [untrusted, web] text", or "> [untrusted] text" where nobody told whose word it is.
std::string quoted_as_data(std::string_view text, const std::optional<source_class>& of);

} // namespace mneme
