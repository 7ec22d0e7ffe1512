#pragma once
/// "Did you mean": the name of a list that a mistyped one is closest to.

#include <span>
#include <string>
#include <string_view>

namespace mneme::protocol {

/// `; did you mean "limit"?`, or nothing when no name is near.
std::string suggestion(std::string_view name, std::span<const std::string_view> known);

/// `"note" is not a memory type; did you mean "Note"?`, or with all of them when none is near.
std::string not_a_memory_type(std::string_view name);
/// The same of edges, always with all of them: hosts' own words are seldom near.
std::string not_an_edge_type(std::string_view name);

} // namespace mneme::protocol
