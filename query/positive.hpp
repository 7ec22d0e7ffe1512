#pragma once
/// Counts that a request may give, which are at least 1.

#include <cstdint>
#include <optional>
#include <string_view>

#include "mneme/error.hpp"

namespace mneme {

/// out_of_range at `key` for a value below 1; none given is fine.
result<void> check_positive(std::optional<std::int64_t> value, std::string_view key);

} // namespace mneme
