#include "tools/server/clients/drawn_names.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "mneme/seams.hpp"

namespace mneme::server {

namespace {

constexpr std::size_t time_bytes = 6;

} // namespace

std::string draw_key() {
  std::array<std::uint8_t, 16> bytes{};
  make_system_random()->fill(bytes);
  std::string key;
  for (const auto byte : bytes) key += fmt::format("{:02x}", byte);
  return key;
}

memory_id draw_id() {
  memory_id id;
  make_system_random()->fill(id.bytes);
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
  for (std::size_t i = time_bytes; i-- > 0; ms >>= 8)
    id.bytes[i] = static_cast<std::uint8_t>(ms & 0xFF);
  return id;
}

memory_id next_id(memory_id id) {
  for (std::size_t i = id.bytes.size(); i-- > 0;)
    if (++id.bytes[i] != 0) break;
  return id;
}

} // namespace mneme::server
