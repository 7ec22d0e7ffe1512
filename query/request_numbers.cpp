#include "query/request_numbers.hpp"

#include <string>

#include <fmt/format.h>

#include "query/find/valid_time.hpp"

namespace mneme {

result<void> check_positive(std::optional<std::int64_t> value, std::string_view key) {
  if (value && *value < 1)
    return fail(errc::out_of_range, fmt::format("{} must be at least 1", key), std::string(key));
  return {};
}

result<void> check_share(std::optional<double> value, std::string_view key) {
  if (value && !(*value >= 0 && *value <= 1))
    return fail(errc::out_of_range, fmt::format("{} is from 0 to 1", key), std::string(key));
  return {};
}

result<void> check_time(std::optional<timestamp> value, std::string_view key) {
  if (value && !is_valid_time(*value))
    return fail(errc::bad_time, fmt::format("{} is negative or after the year 2261", key),
                std::string(key));
  return {};
}

} // namespace mneme
