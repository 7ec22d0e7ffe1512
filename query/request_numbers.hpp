#pragma once
/// Numbers that a request may give: counts, which are at least 1, shares, which are in [0,1], and
/// times.

#include <cstdint>
#include <optional>
#include <string_view>

#include "mneme/error.hpp"
#include "mneme/ids.hpp"

namespace mneme {

/// out_of_range at `key` for a value below 1; none given is fine.
result<void> check_positive(std::optional<std::int64_t> value, std::string_view key);
/// out_of_range at `key` for a value that is not in [0,1]; none given is fine.
result<void> check_share(std::optional<double> value, std::string_view key);
/// bad_time at `key` for a time that no clock shows; none given is fine.
result<void> check_time(std::optional<timestamp> value, std::string_view key);

} // namespace mneme
