// Keys order as their fields do, newest seq first, and prefix_end() bounds exactly the keys of a
// prefix.
#include "storage/key_layout.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace mneme;

namespace {

memory_id id_of(std::uint8_t fill) {
  memory_id id;
  id.bytes.fill(fill);
  return id;
}

} // namespace

TEST_CASE("big-endian integers order as numbers", "[keys]") {
  CHECK(keys::u64be(0x0102030405060708ULL) == std::string("\x01\x02\x03\x04\x05\x06\x07\x08", 8));
  CHECK(rc::check([](std::uint64_t a, std::uint64_t b) {
    RC_ASSERT((keys::u64be(a) < keys::u64be(b)) == (a < b));
  }));
}

TEST_CASE("the first head at or after (id, S) is the newest one as of S", "[keys]") {
  CHECK(keys::head(id_of(1), seq_no{5}) < keys::head(id_of(1), seq_no{4}));
  CHECK(keys::head(id_of(1), seq_no{0}) < keys::head(id_of(2), seq_no{~0ULL}));
  CHECK(keys::head(id_of(1), seq_no{1}).size() == 24);
  CHECK(rc::check([](std::uint64_t a, std::uint64_t b) {
    RC_ASSERT((keys::head(id_of(7), seq_no{a}) < keys::head(id_of(7), seq_no{b})) == (a > b));
  }));
}

TEST_CASE("versions order by number", "[keys]") {
  CHECK(keys::version(id_of(3), 1) == std::string(16, '\x03') + std::string("\0\0\0\x01", 4));
  CHECK(keys::version(id_of(3), 255) < keys::version(id_of(3), 256));
}

TEST_CASE("edges order by source, type, destination, newest first", "[keys]") {
  const edge_key low{id_of(1), edge_type::references, id_of(9)};
  const edge_key high{id_of(1), edge_type::contradicts, id_of(2)};
  CHECK(keys::edge(low, seq_no{1}) < keys::edge(high, seq_no{9}));
  CHECK(keys::edge(low, seq_no{2}) < keys::edge(low, seq_no{1}));
  CHECK(keys::edge(low, seq_no{2}).size() == 41);
}

TEST_CASE("manifests", "[keys]") {
  CHECK(keys::manifest(seq_no{258}) == std::string("\0\0\0\0\0\0\x01\x02", 8));
}

TEST_CASE("prefix_end bounds exactly the keys of a prefix", "[keys]") {
  CHECK(keys::prefix_end("ab") == "ac");
  CHECK(keys::prefix_end(std::string("a\xFF\xFF")) == "b");
  CHECK(keys::prefix_end(std::string("\xFF\xFF")).empty());
  CHECK(keys::prefix_end("").empty());
  CHECK(rc::check([](const std::string& prefix, const std::string& key) {
    const std::string end = keys::prefix_end(prefix);
    const bool inside = key >= prefix && (end.empty() || key < end);
    RC_ASSERT(inside == key.starts_with(prefix));
  }));
}
