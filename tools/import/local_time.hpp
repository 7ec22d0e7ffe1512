#pragma once
/// Dates and times as files have them: RFC 3339, or without an offset (then UTC), or a date alone.

#include <string_view>

#include "mneme/ids.hpp"

namespace mneme::importing {

result<timestamp> parse_local_time(std::string_view text);

} // namespace mneme::importing
