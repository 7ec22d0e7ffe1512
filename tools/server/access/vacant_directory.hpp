#pragma once
/// Where a world may be made: nowhere that somebody has something else.

#include <string>

#include "mneme/error.hpp"

namespace mneme::server {

/// Nothing is there, or what a broken-off start left.
bool is_vacant(const std::string& directory);
/// Of who opens a world that is there, and else makes one: not_found where something else is.
result<void> check_world_or_vacant(const std::string& directory);

} // namespace mneme::server
