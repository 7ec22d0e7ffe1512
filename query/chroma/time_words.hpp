#pragma once
/// What the default profile reads in a text besides hashtags: spans of time and a number of
/// results.

#include <cstdint>
#include <optional>
#include <string_view>

#include "mneme/chroma.hpp"

namespace mneme {

/// "from 2021" before "yesterday" (the whole day before), "today" (since 00:00Z), "last year" (365
/// days), "last month" (30), "last week" and "recent" (7). Whole words, any case. nullopt without.
std::optional<time_range> time_range_in(std::string_view text, timestamp now);

/// "top N" or "N results".
std::optional<std::int64_t> result_count_in(std::string_view text);

} // namespace mneme
