#include "tools/protocol/base64.hpp"

#include <array>
#include <cstdint>

namespace mneme::protocol {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 0xFF;

constexpr std::array<std::uint8_t, 256> digit_values = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(no_digit);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    values[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::uint8_t>(i);
  return values;
}();

std::unexpected<error> malformed() {
  return fail(errc::bad_value, "opaque bytes are written as base64 (RFC 4648, with padding)");
}

} // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t present = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = (group << 8) | (k < present ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text.push_back(k <= present ? alphabet[(group >> (18 - 6 * k)) & 63U] : '=');
  }
  return text;
}

result<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return malformed();
  std::size_t digits = text.size();
  while (digits > 0 && text.size() - digits < 2 && text[digits - 1] == '=') --digits;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t pending = 0;
  unsigned pending_bits = 0;
  for (const char c : text.substr(0, digits)) {
    const std::uint8_t value = digit_values[static_cast<std::uint8_t>(c)];
    if (value == no_digit) return malformed();
    pending = (pending << 6) | value;
    pending_bits += 6;
    if (pending_bits >= 8) {
      pending_bits -= 8;
      bytes.push_back(static_cast<char>((pending >> pending_bits) & 0xFFU));
      pending &= (1U << pending_bits) - 1U;
    }
  }
  if (pending != 0) return malformed();
  return bytes;
}

} // namespace mneme::protocol
