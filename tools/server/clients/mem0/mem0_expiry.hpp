#pragma once
/// When a memory of Mem0's is over.

#include <optional>
#include <string>

#include "mneme/types.hpp"

namespace mneme::server::mem0 {

/// Of an expiration_date: the end of a day in UTC, or the time that was given; nothing: it is none.
std::optional<timestamp> mem0_end_of(const std::string& date);

} // namespace mneme::server::mem0
