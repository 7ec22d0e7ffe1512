#pragma once
/// The vector that a request of any door may give, whether or not anything will be compared with
/// it.

#include <optional>
#include <string_view>
#include <vector>

#include "mneme/error.hpp"

namespace mneme {

/// bad_vector at `key`; none given is fine.
result<void> check_vector(const std::optional<std::vector<float>>& vector, std::string_view key);

} // namespace mneme
