#include "mneme/ids.hpp"

#include "messages/text/hex.hpp"

namespace mneme {

namespace {

constexpr std::string_view crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t ulid_length = 26;
constexpr std::uint8_t no_digit = 0xFF;

/// Value of every byte as a base32 digit of either case; I, L, O and U are none.
constexpr std::array<std::uint8_t, 256> crockford_values = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(no_digit);
  for (std::size_t i = 0; i < crockford.size(); ++i) {
    const auto upper = static_cast<std::uint8_t>(crockford[i]);
    values[upper] = static_cast<std::uint8_t>(i);
    if (upper >= 'A') values[upper + 32U] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

} // namespace

std::string to_string(const memory_id& id) {
  // 26 digits hold 130 bits: the first digit has the two missing bits on top.
  std::string text(ulid_length, '0');
  std::uint32_t pending = 0;
  unsigned pending_bits = 0;
  std::size_t out = ulid_length;
  for (std::size_t i = id.bytes.size(); i-- > 0;) {
    pending |= static_cast<std::uint32_t>(id.bytes[i]) << pending_bits;
    pending_bits += 8;
    while (pending_bits >= 5) {
      text[--out] = crockford[pending & 31U];
      pending >>= 5;
      pending_bits -= 5;
    }
  }
  text[--out] = crockford[pending & 31U];
  return text;
}

result<memory_id> parse_memory_id(std::string_view text) {
  if (text.size() != ulid_length) return fail(errc::bad_id, "a ULID has 26 characters");
  if (text[0] > '7') return fail(errc::bad_id, "a ULID is at most 7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
  memory_id id;
  std::uint32_t pending = 0;
  unsigned pending_bits = 0;
  std::size_t out = id.bytes.size();
  for (std::size_t i = ulid_length; i-- > 0;) {
    const std::uint8_t digit = crockford_values[static_cast<std::uint8_t>(text[i])];
    if (digit == no_digit) return fail(errc::bad_id, "a ULID is Crockford base32 without I L O U");
    pending |= static_cast<std::uint32_t>(digit) << pending_bits;
    pending_bits += 5;
    if (pending_bits >= 8 && out > 0) {
      id.bytes[--out] = static_cast<std::uint8_t>(pending & 0xFFU);
      pending >>= 8;
      pending_bits -= 8;
    }
  }
  return id;
}

std::string to_hex(const digest& d) {
  return hex_of(d.bytes);
}

std::string to_hex(const world_id& id) {
  return hex_of(id.bytes);
}

result<digest> parse_digest(std::string_view hex) {
  digest d;
  if (hex.size() != d.bytes.size() * 2)
    return fail(errc::bad_value, "a hash is written as 64 hex digits");
  for (std::size_t i = 0; i < d.bytes.size(); ++i) {
    const int high = hex_value(hex[2 * i]);
    const int low = hex_value(hex[2 * i + 1]);
    if (high < 0 || low < 0) return fail(errc::bad_value, "a hash is written as 64 hex digits");
    d.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return d;
}

} // namespace mneme
