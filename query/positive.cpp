#include "query/positive.hpp"

#include <string>

#include <fmt/format.h>

namespace mneme {

result<void> check_positive(std::optional<std::int64_t> value, std::string_view key) {
  if (value && *value < 1)
    return fail(errc::out_of_range, fmt::format("{} must be at least 1", key), std::string(key));
  return {};
}

} // namespace mneme
