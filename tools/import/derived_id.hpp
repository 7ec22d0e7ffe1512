#pragma once
/// Ids of imported memories: a function of what they are, so that the same input gives the same
/// ids.

#include <string_view>

#include "mneme/ids.hpp"

namespace mneme::importing {

/// The time of items that have none.
inline constexpr timestamp undated{946'684'800'000'000'000}; // 2000-01-01T00:00:00Z

/// SHA-256 over (format, source, key) gives the random part, `at` the time part.
memory_id derived_id(std::string_view format, std::string_view source, std::string_view key,
                     timestamp at = undated);

} // namespace mneme::importing
