// What the writer writes is MessagePack as another implementation reads it, in its shortest form;
// the reader takes that and nothing else.
// Of: messages/codec/canonical_reader.cpp, messages/codec/canonical_writer.cpp

#include <bit>
#include <limits>

#include <catch2/catch.hpp>
#include <msgpack.hpp>
#include <rapidcheck/catch.h>

#include "messages/codec/canonical.hpp"
#include "tests/messages/codec/any_record.hpp"

using namespace mneme;
using namespace mneme::test;
using namespace std::string_literals;

namespace {

std::string written(auto write) {
  canonical_writer out;
  write(out);
  return out.take();
}

/// A random tree of items, and what it should decode to, side by side.
struct item {
  canonical_reader::kind kind = canonical_reader::kind::nil;
  std::int64_t integer = 0;
  double real = 0;
  std::string bytes;
  std::vector<item> items; ///< of a map: key, value, key, value …
};

item any_item(int depth) {
  using kind = canonical_reader::kind;
  item x;
  x.kind = static_cast<kind>(*rc::gen::inRange(1, depth > 0 ? 10 : 8));
  x.integer = any_integer();
  if (x.kind == kind::boolean) x.integer &= 1;
  x.real = any_finite();
  if (x.kind == kind::real32) x.real = static_cast<double>(static_cast<float>(x.integer));
  if (x.kind == kind::text) x.bytes = any_text(*rc::gen::element(3, 40, 300));
  if (x.kind == kind::binary) x.bytes = any_bytes(*rc::gen::element(3, 300));
  if (x.kind == kind::array || x.kind == kind::map) {
    int size = *rc::gen::inRange(0, *rc::gen::element(4, 20));
    if (x.kind == kind::map) size *= 2;
    for (int i = 0; i < size; ++i) x.items.push_back(any_item(depth - 1));
  }
  return x;
}

void write(canonical_writer& out, const item& x) {
  using kind = canonical_reader::kind;
  switch (x.kind) {
  case kind::nil:
    return out.nil();
  case kind::boolean:
    return out.boolean(x.integer != 0);
  case kind::integer:
    return out.integer(x.integer);
  case kind::real32:
    return out.real32(static_cast<float>(x.real));
  case kind::real64:
    return out.real64(x.real);
  case kind::text:
    return out.text(x.bytes);
  case kind::binary:
    return out.binary(x.bytes);
  case kind::array:
    out.array(static_cast<std::uint32_t>(x.items.size()));
    break;
  case kind::map:
    out.map(static_cast<std::uint32_t>(x.items.size() / 2));
    break;
  default:
    FAIL("no such item");
  }
  for (const item& child : x.items) write(out, child);
}

bool same(const msgpack::object& o, const item& x) {
  using kind = canonical_reader::kind;
  switch (x.kind) {
  case kind::nil:
    return o.type == msgpack::type::NIL;
  case kind::boolean:
    return o.type == msgpack::type::BOOLEAN && o.via.boolean == (x.integer != 0);
  case kind::integer:
    return (o.type == msgpack::type::POSITIVE_INTEGER || o.type == msgpack::type::NEGATIVE_INTEGER)
           && o.via.i64 == x.integer;
  case kind::real32:
    return o.type == msgpack::type::FLOAT32 && o.via.f64 == x.real;
  case kind::real64:
    return o.type == msgpack::type::FLOAT64 && o.via.f64 == x.real;
  case kind::text:
    return o.type == msgpack::type::STR && std::string(o.via.str.ptr, o.via.str.size) == x.bytes;
  case kind::binary:
    return o.type == msgpack::type::BIN && std::string(o.via.bin.ptr, o.via.bin.size) == x.bytes;
  case kind::array: {
    if (o.type != msgpack::type::ARRAY || o.via.array.size != x.items.size()) return false;
    for (std::uint32_t i = 0; i < o.via.array.size; ++i)
      if (!same(o.via.array.ptr[i], x.items[i])) return false;
    return true;
  }
  case kind::map: {
    if (o.type != msgpack::type::MAP || o.via.map.size * 2 != x.items.size()) return false;
    for (std::uint32_t i = 0; i < o.via.map.size; ++i)
      if (!same(o.via.map.ptr[i].key, x.items[2 * i])
          || !same(o.via.map.ptr[i].val, x.items[2 * i + 1]))
        return false;
    return true;
  }
  default:
    return false;
  }
}

/// Reads one item of any kind and checks it against `x`.
bool read_same(canonical_reader& in, const item& x) {
  using kind = canonical_reader::kind;
  if (in.peek() != x.kind) return false;
  switch (x.kind) {
  case kind::nil:
    return in.take_nil();
  case kind::boolean:
    return in.boolean() == (x.integer != 0);
  case kind::integer:
    return in.integer() == x.integer;
  case kind::real32:
    return in.real32() == static_cast<float>(x.real);
  case kind::real64:
    return in.real64() == x.real;
  case kind::text:
    return in.text() == std::string_view(x.bytes);
  case kind::binary:
    return in.binary() == std::string_view(x.bytes);
  case kind::array:
    if (in.array() != static_cast<std::uint32_t>(x.items.size())) return false;
    break;
  case kind::map:
    if (in.map() != static_cast<std::uint32_t>(x.items.size() / 2)) return false;
    break;
  default:
    return false;
  }
  for (const item& child : x.items)
    if (!read_same(in, child)) return false;
  return true;
}

/// The shortest MessagePack of an integer, by the ranges of its specification.
std::string shortest(std::int64_t v) {
  struct form {
    std::int64_t least, greatest;
    unsigned char tag;
    unsigned bytes;
  };
  constexpr form forms[] = {
      {0, 0xFF, 0xCC, 1},
      {0x100, 0xFFFF, 0xCD, 2},
      {0x1'0000, 0xFFFF'FFFF, 0xCE, 4},
      {0x1'0000'0000, std::numeric_limits<std::int64_t>::max(), 0xCF, 8},
      {-0x80, -1, 0xD0, 1},
      {-0x8000, -0x81, 0xD1, 2},
      {-0x8000'0000LL, -0x8001, 0xD2, 4},
      {std::numeric_limits<std::int64_t>::min(), -0x8000'0001LL, 0xD3, 8},
  };
  if (v >= -32 && v < 128) return {static_cast<char>(v)};
  for (const form& f : forms) {
    if (v < f.least || v > f.greatest) continue;
    std::string bytes(1, static_cast<char>(f.tag));
    for (unsigned i = f.bytes; i > 0; --i) bytes += static_cast<char>(v >> (8 * (i - 1)));
    return bytes;
  }
  return {};
}

template <class Getter>
bool refuses(const std::string& bytes, Getter getter) {
  canonical_reader in(bytes);
  const auto item = (in.*getter)();
  return !item && in.problem().code == errc::corrupt;
}

} // namespace

TEST_CASE("random structures are read back by us and by msgpack-c") {
  rc::prop("tree of items", [] {
    const item x = any_item(3);
    const std::string bytes = written([&](canonical_writer& out) { write(out, x); });
    std::size_t offset = 0;
    const auto handle = msgpack::unpack(bytes.data(), bytes.size(), offset);
    RC_ASSERT(offset == bytes.size());
    RC_ASSERT(same(handle.get(), x));
    canonical_reader in(bytes);
    RC_ASSERT(read_same(in, x));
    RC_ASSERT(in.at_end());
  });
}

TEST_CASE("records are maps that msgpack-c reads") {
  rc::prop("payload", [] {
    const std::string bytes = encode(any_payload().second);
    std::size_t offset = 0;
    const auto handle = msgpack::unpack(bytes.data(), bytes.size(), offset);
    RC_ASSERT(offset == bytes.size());
    RC_ASSERT(handle.get().type == msgpack::type::MAP);
    RC_ASSERT(handle.get().via.map.ptr[0].key.as<int>() == 0);
    RC_ASSERT(handle.get().via.map.ptr[0].val.as<int>() == 1);
  });
}

TEST_CASE("integers are in their shortest form, and non-negative ones in an unsigned one") {
  const auto check = [](std::int64_t v) {
    const std::string ours = written([&](canonical_writer& out) { out.integer(v); });
    canonical_reader in(ours);
    return ours == shortest(v) && in.integer() == v && in.at_end();
  };
  rc::prop("any", [&] { RC_ASSERT(check(any_integer())); });
  // Around every width.
  for (const int bits : {5, 7, 8, 15, 16, 31, 32, 62}) {
    for (std::int64_t d = -2; d <= 2; ++d) {
      CHECK(check((std::int64_t{1} << bits) + d));
      CHECK(check(-(std::int64_t{1} << bits) + d));
    }
  }
  CHECK(check(std::numeric_limits<std::int64_t>::min()));
  CHECK(check(std::numeric_limits<std::int64_t>::max()));
}

TEST_CASE("unsigned integers reach 2^64 - 1") {
  const std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
  const auto bytes = written([&](canonical_writer& out) { out.unsigned_integer(greatest); });
  CHECK(bytes == "\xCF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF");
  CHECK(canonical_reader(bytes).unsigned_integer() == greatest);
  CHECK(refuses(bytes, &canonical_reader::integer));
  CHECK(refuses("\xFF"s, &canonical_reader::unsigned_integer));
}

TEST_CASE("integral and negative zero floats stay floats") {
  CHECK(written([](canonical_writer& out) { out.real64(1.0); }) == "\xCB\x3F\xF0\0\0\0\0\0\0"s);
  CHECK(written([](canonical_writer& out) { out.real32(1.0F); }) == "\xCA\x3F\x80\0\0"s);
  CHECK(written([](canonical_writer& out) { out.real64(-0.0); }) == "\xCB\0\0\0\0\0\0\0\0"s);
  CHECK(written([](canonical_writer& out) { out.real32(-0.0F); }) == "\xCA\0\0\0\0"s);
}

TEST_CASE("floats are not packed by msgpack-c, which shortens them") {
  const auto packed = [](double v) {
    msgpack::sbuffer buffer;
    msgpack::packer<msgpack::sbuffer>(buffer).pack_double(v);
    return std::string(buffer.data(), buffer.size());
  };
  CHECK(packed(1.0) == "\x01");
  CHECK(packed(-0.0) == "\0"s);
  CHECK(packed(-2.0) == "\xFE");
  CHECK(packed(0.5) == written([](canonical_writer& out) { out.real64(0.5); }));
}

TEST_CASE("lengths are in their shortest form") {
  using writes = void (canonical_writer::*)(std::uint32_t);
  const auto length = [](writes write, std::uint32_t size) {
    return written([&](canonical_writer& out) { (out.*write)(size); });
  };
  CHECK(length(&canonical_writer::array, 15) == "\x9F");
  CHECK(length(&canonical_writer::array, 16) == "\xDC\x00\x10"s);
  CHECK(length(&canonical_writer::array, 0xFFFF) == "\xDC\xFF\xFF");
  CHECK(length(&canonical_writer::array, 0x1'0000) == "\xDD\x00\x01\x00\x00"s);
  CHECK(length(&canonical_writer::map, 15) == "\x8F");
  CHECK(length(&canonical_writer::map, 16) == "\xDE\x00\x10"s);
  CHECK(length(&canonical_writer::map, 0x1'0000) == "\xDF\x00\x01\x00\x00"s);
  const auto head = [](auto write, std::size_t size) {
    const std::string bytes =
        written([&](canonical_writer& out) { write(out, std::string(size, 'a')); });
    return bytes.substr(0, bytes.size() - size);
  };
  const auto text = [](canonical_writer& out, const std::string& v) { out.text(v); };
  const auto binary = [](canonical_writer& out, const std::string& v) { out.binary(v); };
  CHECK(head(text, 31) == "\xBF");
  CHECK(head(text, 32) == "\xD9\x20");
  CHECK(head(text, 0x100) == "\xDA\x01\x00"s);
  CHECK(head(text, 0x1'0000) == "\xDB\x00\x01\x00\x00"s);
  CHECK(head(binary, 0) == "\xC4\x00"s);
  CHECK(head(binary, 0x100) == "\xC5\x01\x00"s);
  CHECK(head(binary, 0x1'0000) == "\xC6\x00\x01\x00\x00"s);
}

TEST_CASE("longer forms, NaN and -0 are refused") {
  for (const std::string& bytes :
       {"\xCC\x7F"s, "\xCD\x00\xFF"s, "\xCE\x00\x00\xFF\xFF"s, "\xCF\0\0\0\0\xFF\xFF\xFF\xFF"s,
        "\xD0\xE0"s, "\xD0\x05"s, "\xD1\xFF\x80"s, "\xD2\xFF\xFF\x80\x00"s,
        "\xD3\xFF\xFF\xFF\xFF\x80\x00\x00\x00"s, "\xD1\x7F\xFF"s, ""s, "\xCD\x01"s, "\xC0"s})
    CHECK(refuses(bytes, &canonical_reader::integer));
  const std::string text31(31, 'x');
  const std::string text255(255, 'x');
  const std::string text65535(65535, 'x');
  CHECK(refuses("\xD9\x1F" + text31, &canonical_reader::text));
  CHECK(refuses("\xDA\x00\xFF"s + text255, &canonical_reader::text));
  CHECK(refuses("\xDB\x00\x00\xFF\xFF"s + text65535, &canonical_reader::text));
  CHECK(refuses("\xC5\x00\xFF"s + text255, &canonical_reader::binary));
  CHECK(refuses("\xC6\x00\x00\xFF\xFF"s + text65535, &canonical_reader::binary));
  CHECK(refuses("\xDC\x00\x0F"s + text31, &canonical_reader::array));
  CHECK(refuses("\xDD\x00\x00\xFF\xFF"s + text65535, &canonical_reader::array));
  CHECK(refuses("\xDE\x00\x0F"s + text31, &canonical_reader::map));
  CHECK(refuses("\xCA\x7F\xC0\x00\x00"s, &canonical_reader::real32));
  CHECK(refuses("\xCA\x80\x00\x00\x00"s, &canonical_reader::real32));
  CHECK(refuses("\xCB\x7F\xF8\0\0\0\0\0\0"s, &canonical_reader::real64));
  CHECK(refuses("\xCB\x80\0\0\0\0\0\0\0"s, &canonical_reader::real64));
  CHECK(refuses("\xA2\xC3\x28"s, &canonical_reader::text));
  CHECK(refuses("\xA3\xED\xA0\x80"s, &canonical_reader::text));
}

TEST_CASE("the longest lengths of every form are read back") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{31}, std::size_t{32}, std::size_t{255},
                                 std::size_t{256}, std::size_t{65535}, std::size_t{65536}}) {
    const std::string payload(size, 'a');
    const auto text = written([&](canonical_writer& out) { out.text(payload); });
    const auto binary = written([&](canonical_writer& out) { out.binary(payload); });
    CHECK(canonical_reader(text).text() == std::string_view(payload));
    CHECK(canonical_reader(binary).binary() == std::string_view(payload));
    CHECK(refuses(text.substr(0, text.size() - 1), &canonical_reader::text));
    CHECK(refuses(binary.substr(0, binary.size() - 1), &canonical_reader::binary));
    const auto list = written([&](canonical_writer& out) {
      out.array(static_cast<std::uint32_t>(size));
      for (std::size_t i = 0; i < size; ++i) out.nil();
    });
    CHECK(canonical_reader(list).array() == static_cast<std::uint32_t>(size));
  }
}

TEST_CASE("a count that the bytes cannot hold is refused before anything is made of it") {
  CHECK(refuses("\xDD\xFF\xFF\xFF\xFF"s, &canonical_reader::array));
  CHECK(refuses("\xDF\xFF\xFF\xFF\xFF"s, &canonical_reader::map));
  CHECK(refuses("\x82\x00\x00\x00"s, &canonical_reader::map));
  CHECK(refuses("\xDB\xFF\xFF\xFF\xFF"s, &canonical_reader::text));
}

TEST_CASE("another kind than the one asked for is refused and stays unread") {
  const std::string bytes = written([](canonical_writer& out) { out.text("x"); });
  canonical_reader in(bytes);
  CHECK(!in.array());
  CHECK(!in.map());
  CHECK(!in.integer());
  CHECK(!in.unsigned_integer());
  CHECK(!in.boolean());
  CHECK(!in.real32());
  CHECK(!in.real64());
  CHECK(!in.binary());
  CHECK(!in.take_nil());
  CHECK(in.offset() == 0);
  CHECK(in.text() == std::string_view("x"));
  CHECK(in.peek() == canonical_reader::kind::end);
}

TEST_CASE("extension types are of no kind that is read") {
  for (const int tag : {0xC1, 0xC7, 0xC8, 0xC9, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8}) {
    const std::string bytes(20, static_cast<char>(tag));
    CHECK(canonical_reader(bytes).peek() == canonical_reader::kind::other);
    CHECK(refuses(bytes, &canonical_reader::integer));
    CHECK(refuses(bytes, &canonical_reader::text));
    CHECK(refuses(bytes, &canonical_reader::binary));
  }
}
