#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "messages/codec/canonical.hpp"
#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

/// Least value that needs a big-endian field of 1, 2, 4 or 8 bytes, of an integer.
constexpr std::array<std::uint64_t, 4> least_unsigned = {128, 0x100, 0x1'0000, 0x1'0000'0000};

} // namespace

error canonical_reader::problem() const {
  ensure(why_ != nullptr, "a getter has failed");
  return {errc::corrupt, fmt::format("byte {}: {}", offset_, why_), {}};
}

/// The value after the tag at the offset, 2^width_log2 bytes wide; consumes both.
std::optional<std::uint64_t> canonical_reader::big_endian(unsigned width_log2) {
  const std::size_t width = std::size_t{1} << width_log2;
  if (remaining() < 1 + width) return refuse("the bytes end inside an item");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value = (value << 8) | byte_at(offset_ + 1 + i);
  offset_ += 1 + width;
  return value;
}

/// Length of an array, map, text or binary. A tag of 0 means that the family has no such form.
std::optional<std::uint32_t> canonical_reader::length(std::uint8_t fix_tag, std::uint8_t fix_max,
                                                      std::uint8_t tag8, std::uint8_t tag16,
                                                      const char* expected) {
  if (at_end()) return refuse("the bytes end where an item is expected");
  const std::uint8_t tag = byte_at(offset_);
  if (fix_tag != 0 && tag >= fix_tag && tag <= fix_tag + fix_max) {
    ++offset_;
    return static_cast<std::uint32_t>(tag - fix_tag);
  }
  const std::uint64_t fix_end = fix_tag != 0 ? fix_max + 1U : 0U;
  unsigned width_log2 = 0;
  std::uint64_t least = fix_end;
  if (tag8 != 0 && tag == tag8) {
    width_log2 = 0;
  } else if (tag == tag16) {
    width_log2 = 1;
    least = tag8 != 0 ? 0x100 : fix_end;
  } else if (tag == tag16 + 1) {
    width_log2 = 2;
    least = 0x1'0000;
  } else {
    return refuse(expected);
  }
  const std::size_t start = offset_;
  const auto value = big_endian(width_log2);
  if (!value) return std::nullopt;
  if (*value < least) {
    return refuse_from(start, "a length is not in its shortest form");
  }
  return static_cast<std::uint32_t>(*value);
}

std::optional<std::string_view> canonical_reader::take(std::uint32_t size) {
  if (remaining() < size) return refuse("the bytes end inside an item");
  const std::string_view taken = bytes_.substr(offset_, size);
  offset_ += size;
  return taken;
}

std::optional<std::uint32_t> canonical_reader::array() {
  auto size = length(0x90, 15, 0, 0xDC, "an array is expected");
  if (size && *size > remaining()) return refuse("an array is longer than the bytes left");
  return size;
}

std::optional<std::uint32_t> canonical_reader::map() {
  auto size = length(0x80, 15, 0, 0xDE, "a map is expected");
  if (size && *size > remaining() / 2) return refuse("a map is longer than the bytes left");
  return size;
}

std::optional<std::uint64_t> canonical_reader::long_unsigned_integer() {
  if (at_end()) return refuse("the bytes end where an item is expected");
  const std::uint8_t tag = byte_at(offset_);
  if (tag < 0xCC || tag > 0xCF) return refuse("a non-negative integer is expected");
  const unsigned width_log2 = tag - 0xCCU;
  const std::size_t start = offset_;
  const auto value = big_endian(width_log2);
  if (!value) return value;
  if (*value < least_unsigned[width_log2]) {
    return refuse_from(start, "an integer is not in its shortest form");
  }
  return value;
}

std::optional<std::int64_t> canonical_reader::integer() {
  if (at_end()) return refuse("the bytes end where an item is expected");
  const std::uint8_t tag = byte_at(offset_);
  if (tag >= 0xE0) {
    ++offset_;
    return std::int64_t{static_cast<std::int8_t>(tag)};
  }
  const std::size_t start = offset_;
  if (tag < 0xD0 || tag > 0xD3) {
    const auto value = unsigned_integer();
    if (!value) return std::nullopt;
    if (*value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return refuse_from(start, "an integer is over 2^63 - 1");
    }
    return static_cast<std::int64_t>(*value);
  }
  const unsigned width_log2 = tag - 0xD0U;
  const auto bits = big_endian(width_log2);
  if (!bits) return std::nullopt;
  const unsigned unused_bits = 64U - (8U << width_log2);
  const auto value = static_cast<std::int64_t>(*bits << unused_bits) >> unused_bits;
  constexpr std::array<std::int64_t, 4> greatest = {
      -33, std::numeric_limits<std::int8_t>::min() - 1,
      std::numeric_limits<std::int16_t>::min() - 1,
      std::numeric_limits<std::int32_t>::min() - std::int64_t{1}};
  if (value > greatest[width_log2]) {
    return refuse_from(start, "an integer is not in its shortest form");
  }
  return value;
}

std::optional<bool> canonical_reader::boolean() {
  const kind next = peek();
  if (next != kind::boolean) return refuse("a boolean is expected");
  return byte_at(offset_++) == 0xC3;
}

std::optional<float> canonical_reader::real32() {
  if (peek() != kind::real32) return refuse("a float32 is expected");
  const std::size_t start = offset_;
  const auto bits = big_endian(2);
  if (!bits) return std::nullopt;
  const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(*bits));
  if (std::isnan(value) || (value == 0 && *bits != 0)) {
    return refuse_from(start, "NaN and -0 are not canonical");
  }
  return value;
}

std::optional<double> canonical_reader::real64() {
  if (peek() != kind::real64) return refuse("a float64 is expected");
  const std::size_t start = offset_;
  const auto bits = big_endian(3);
  if (!bits) return std::nullopt;
  const auto value = std::bit_cast<double>(*bits);
  if (std::isnan(value) || (value == 0 && *bits != 0)) {
    return refuse_from(start, "NaN and -0 are not canonical");
  }
  return value;
}

std::optional<std::string_view> canonical_reader::text() {
  const std::size_t start = offset_;
  const auto size = length(0xA0, 31, 0xD9, 0xDA, "text is expected");
  if (!size) return std::nullopt;
  const auto bytes = take(*size);
  if (bytes && !is_utf8(*bytes)) return refuse_from(start, "text is not UTF-8");
  return bytes;
}

std::optional<std::string_view> canonical_reader::binary() {
  const auto size = length(0, 0, 0xC4, 0xC5, "binary is expected");
  if (!size) return std::nullopt;
  return take(*size);
}

bool canonical_reader::take_nil() {
  if (peek() != kind::nil) return false;
  ++offset_;
  return true;
}

canonical_reader::kind canonical_reader::peek() const {
  if (at_end()) return kind::end;
  const std::uint8_t tag = byte_at(offset_);
  if (tag < 0x80 || tag >= 0xE0) return kind::integer;
  if (tag < 0x90) return kind::map;
  if (tag < 0xA0) return kind::array;
  if (tag < 0xC0) return kind::text;
  switch (tag) {
  case 0xC0:
    return kind::nil;
  case 0xC2:
  case 0xC3:
    return kind::boolean;
  case 0xC4:
  case 0xC5:
  case 0xC6:
    return kind::binary;
  case 0xCA:
    return kind::real32;
  case 0xCB:
    return kind::real64;
  case 0xD9:
  case 0xDA:
  case 0xDB:
    return kind::text;
  case 0xDC:
  case 0xDD:
    return kind::array;
  case 0xDE:
  case 0xDF:
    return kind::map;
  default:
    return tag >= 0xCC && tag <= 0xD3 ? kind::integer : kind::other;
  }
}

} // namespace mneme
