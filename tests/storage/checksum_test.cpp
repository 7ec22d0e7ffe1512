// CRC-32C against its published check value, and a bit at a time.
#include "storage/checksum.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace mneme {

namespace {

std::uint32_t bit_by_bit(std::string_view bytes) {
  std::uint32_t sum = ~0U;
  for (const char c : bytes) {
    sum ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1U) != 0 ? 0x82F63B78U : 0U);
  }
  return ~sum;
}

} // namespace

TEST_CASE("CRC-32C is that of the standard, at any length and place") {
  CHECK(crc32c("123456789") == 0xE3069283);
  CHECK(crc32c("") == 0);
  std::string bytes;
  for (int i = 0; i < 300; ++i) bytes.push_back(static_cast<char>(i * 7));
  for (std::size_t from = 0; from < 9; ++from)
    for (std::size_t length = 0; from + length <= bytes.size(); length += 1 + length / 3) {
      const auto part = std::string_view(bytes).substr(from, length);
      REQUIRE(crc32c(part) == bit_by_bit(part));
    }
  // Long ones are summed in parts beside each other.
  for (int i = 0; i < 20'000; ++i) bytes.push_back(static_cast<char>(i * i >> 3));
  for (const std::size_t length : {3071U, 3072U, 3073U, 6144U, 9300U, 20'000U})
    for (std::size_t from = 0; from < 3; ++from) {
      const auto part = std::string_view(bytes).substr(from, length);
      REQUIRE(crc32c(part) == bit_by_bit(part));
    }
}

} // namespace mneme
