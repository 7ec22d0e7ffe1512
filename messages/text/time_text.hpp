#pragma once
/// Instants: their range, and the calendar date of one.

#include <string>

#include "mneme/ids.hpp"

namespace mneme {

/// 2261-12-31T23:59:59.999999999Z.
inline constexpr timestamp max_timestamp{9'214'646'399'999'999'999};

/// True from 1970 to the end of 2261.
inline bool is_valid(timestamp t) noexcept {
  return t.ns >= 0 && t <= max_timestamp;
}

/// YYYY-MM-DD in UTC.
std::string date_text(timestamp t);

} // namespace mneme
