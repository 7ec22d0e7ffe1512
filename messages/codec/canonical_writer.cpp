#include <bit>
#include <cmath>
#include <limits>

#include <msgpack/pack.hpp>

#include "messages/codec/canonical.hpp"
#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

/// Where the packer writes: the end of a string.
class string_end {
public:
  explicit string_end(std::string& out) : out_(out) {}
  /// Most of what is packed is one byte, for which push_back is quicker.
  void write(const char* bytes, std::size_t size) {
    if (size == 1)
      out_.push_back(*bytes);
    else
      out_.append(bytes, size);
  }

private:
  std::string& out_;
};

/// Calls `pack` with a packer that appends to `out`. Of what msgpack-c packs, all but floats is the
/// shortest form there is, which is the canonical one.
template <class Pack>
void pack_into(std::string& out, Pack pack) {
  string_end end(out);
  msgpack::packer<string_end> packer(end);
  pack(packer);
}

/// The tag byte and a float's bits, big-endian. Ours, since msgpack-c packs every float with a
/// whole value of 64 bits as an integer: 1.0 as the byte 01, and -0.0 as 00.
template <class Bits>
void append_float(std::string& out, std::uint8_t tag, Bits bits) {
  out.push_back(static_cast<char>(tag));
  for (unsigned shift = 8 * sizeof(Bits); shift > 0; shift -= 8)
    out.push_back(static_cast<char>((bits >> (shift - 8)) & 0xFFU));
}

std::uint32_t checked_size(std::string_view bytes) {
  ensure(bytes.size() <= std::numeric_limits<std::uint32_t>::max(), "an item is under 4 GiB");
  return static_cast<std::uint32_t>(bytes.size());
}

} // namespace

void canonical_writer::array(std::uint32_t size) {
  pack_into(out_, [&](auto& packer) { packer.pack_array(size); });
}

void canonical_writer::map(std::uint32_t size) {
  pack_into(out_, [&](auto& packer) { packer.pack_map(size); });
}

std::size_t canonical_writer::begin_map() {
  const std::size_t begin = out_.size();
  map(0); // one byte, which is enough for most
  return begin;
}

void canonical_writer::end_map(std::size_t begin, std::uint32_t size) {
  std::string header;
  pack_into(header, [&](auto& packer) { packer.pack_map(size); });
  out_.replace(begin, 1, header);
}

void canonical_writer::long_unsigned_integer(std::uint64_t v) {
  pack_into(out_, [&](auto& packer) { packer.pack_uint64(v); });
}

void canonical_writer::integer(std::int64_t v) {
  pack_into(out_, [&](auto& packer) { packer.pack_int64(v); });
}

void canonical_writer::boolean(bool v) {
  pack_into(out_, [&](auto& packer) { v ? packer.pack_true() : packer.pack_false(); });
}

void canonical_writer::nil() {
  pack_into(out_, [](auto& packer) { packer.pack_nil(); });
}

void canonical_writer::real32(float v) {
  ensure(!std::isnan(v), "no NaN is ever encoded");
  append_float(out_, 0xCA, std::bit_cast<std::uint32_t>(v == 0 ? 0.0F : v));
}

void canonical_writer::real64(double v) {
  ensure(!std::isnan(v), "no NaN is ever encoded");
  append_float(out_, 0xCB, std::bit_cast<std::uint64_t>(v == 0 ? 0.0 : v));
}

void canonical_writer::text(std::string_view v) {
  ensure(is_utf8(v), "text is UTF-8 when it is encoded");
  const std::uint32_t size = checked_size(v);
  pack_into(out_, [&](auto& packer) { packer.pack_str(size).pack_str_body(v.data(), size); });
}

void canonical_writer::binary(std::string_view v) {
  const std::uint32_t size = checked_size(v);
  pack_into(out_, [&](auto& packer) { packer.pack_bin(size).pack_bin_body(v.data(), size); });
}

} // namespace mneme
