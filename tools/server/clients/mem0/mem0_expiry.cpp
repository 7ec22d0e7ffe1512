#include "tools/server/clients/mem0/mem0_expiry.hpp"

#include <cstdint>
#include <string_view>

namespace mneme::server::mem0 {

std::optional<timestamp> mem0_end_of(const std::string& date) {
  constexpr std::int64_t ns_of_a_day = 86'400'000'000'000;
  const bool is_day = date.size() == std::string_view("2026-01-31").size();
  auto at = parse_timestamp(date);
  if (!at) return std::nullopt;
  if (is_day) at->ns += ns_of_a_day;
  return *at;
}

} // namespace mneme::server::mem0
