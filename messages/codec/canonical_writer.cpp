#include <bit>
#include <cmath>
#include <limits>

#include "messages/codec/canonical.hpp"
#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

/// The tag byte and the low `size` bytes of `value`, big-endian.
void append_tagged(std::string& out, std::uint8_t tag, std::uint64_t value, unsigned size) {
  out.push_back(static_cast<char>(tag));
  for (unsigned shift = 8 * size; shift > 0; shift -= 8)
    out.push_back(static_cast<char>((value >> (shift - 8)) & 0xFFU));
}

std::uint32_t checked_size(std::string_view bytes) {
  ensure(bytes.size() <= std::numeric_limits<std::uint32_t>::max(), "an item is under 4 GiB");
  return static_cast<std::uint32_t>(bytes.size());
}

} // namespace

void canonical_writer::array(std::uint32_t size) {
  if (size < 16)
    append_tagged(out_, static_cast<std::uint8_t>(0x90U | size), 0, 0);
  else if (size <= 0xFFFF)
    append_tagged(out_, 0xDC, size, 2);
  else
    append_tagged(out_, 0xDD, size, 4);
}

void canonical_writer::map(std::uint32_t size) {
  if (size < 16)
    append_tagged(out_, static_cast<std::uint8_t>(0x80U | size), 0, 0);
  else if (size <= 0xFFFF)
    append_tagged(out_, 0xDE, size, 2);
  else
    append_tagged(out_, 0xDF, size, 4);
}

void canonical_writer::unsigned_integer(std::uint64_t v) {
  if (v < 128)
    out_.push_back(static_cast<char>(v));
  else if (v <= 0xFF)
    append_tagged(out_, 0xCC, v, 1);
  else if (v <= 0xFFFF)
    append_tagged(out_, 0xCD, v, 2);
  else if (v <= 0xFFFF'FFFF)
    append_tagged(out_, 0xCE, v, 4);
  else
    append_tagged(out_, 0xCF, v, 8);
}

void canonical_writer::integer(std::int64_t v) {
  const auto bits = static_cast<std::uint64_t>(v);
  if (v >= 0)
    unsigned_integer(bits);
  else if (v >= -32)
    out_.push_back(static_cast<char>(v));
  else if (v >= std::numeric_limits<std::int8_t>::min())
    append_tagged(out_, 0xD0, bits, 1);
  else if (v >= std::numeric_limits<std::int16_t>::min())
    append_tagged(out_, 0xD1, bits, 2);
  else if (v >= std::numeric_limits<std::int32_t>::min())
    append_tagged(out_, 0xD2, bits, 4);
  else
    append_tagged(out_, 0xD3, bits, 8);
}

void canonical_writer::boolean(bool v) {
  out_.push_back(static_cast<char>(v ? 0xC3 : 0xC2));
}

void canonical_writer::nil() {
  out_.push_back(static_cast<char>(0xC0));
}

void canonical_writer::real32(float v) {
  ensure(!std::isnan(v), "no NaN is ever encoded");
  append_tagged(out_, 0xCA, std::bit_cast<std::uint32_t>(v == 0 ? 0.0F : v), 4);
}

void canonical_writer::real64(double v) {
  ensure(!std::isnan(v), "no NaN is ever encoded");
  append_tagged(out_, 0xCB, std::bit_cast<std::uint64_t>(v == 0 ? 0.0 : v), 8);
}

void canonical_writer::text(std::string_view v) {
  ensure(is_utf8(v), "text is UTF-8 when it is encoded");
  const std::uint32_t size = checked_size(v);
  if (size < 32)
    append_tagged(out_, static_cast<std::uint8_t>(0xA0U | size), 0, 0);
  else if (size <= 0xFF)
    append_tagged(out_, 0xD9, size, 1);
  else if (size <= 0xFFFF)
    append_tagged(out_, 0xDA, size, 2);
  else
    append_tagged(out_, 0xDB, size, 4);
  out_.append(v);
}

void canonical_writer::binary(std::string_view v) {
  const std::uint32_t size = checked_size(v);
  if (size <= 0xFF)
    append_tagged(out_, 0xC4, size, 1);
  else if (size <= 0xFFFF)
    append_tagged(out_, 0xC5, size, 2);
  else
    append_tagged(out_, 0xC6, size, 4);
  out_.append(v);
}

} // namespace mneme
