#pragma once
/// The range of instants: 1970 to the end of 2261.

#include "mneme/ids.hpp"

namespace mneme {

/// 2262-01-01T00:00:00Z, the first instant that is not valid.
inline constexpr std::int64_t first_invalid_time_ns = 9'214'646'400'000'000'000;

constexpr bool is_valid_time(timestamp t) noexcept {
  return t.ns >= 0 && t.ns < first_invalid_time_ns;
}

} // namespace mneme
