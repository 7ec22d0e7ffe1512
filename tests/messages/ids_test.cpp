// Text of ids, hashes and uris, and what is refused.
// Of: messages/uri.cpp, messages/text/hex.cpp

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "mneme/types.hpp"
#include "tests/messages/codec/any_record.hpp"

using namespace mneme;
using namespace mneme::test;

namespace {

errc code_of(const auto& outcome) {
  REQUIRE(!outcome.has_value());
  return outcome.error().code;
}

const std::string ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

} // namespace

TEST_CASE("ULID text") {
  rc::prop("round trip, and text orders as the bytes do", [] {
    const memory_id a = any_id();
    const memory_id b = any_id();
    RC_ASSERT(parse_memory_id(to_string(a)).value() == a);
    RC_ASSERT((to_string(a) < to_string(b)) == (a < b));
  });
  memory_id greatest;
  greatest.bytes.fill(0xFF);
  CHECK(to_string(memory_id{}) == "00000000000000000000000000");
  CHECK(to_string(greatest) == "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
  CHECK(parse_memory_id("7ZZZZZZZZZZZZZZZZZZZZZZZZZ").value() == greatest);
  CHECK(parse_memory_id("00000000000000000000000000").value().is_zero());
  CHECK(to_string(parse_memory_id("01arz3ndektsv4rrffq69g5fav").value()) == ulid);
  // The first ten digits are the milliseconds: 1469922850259 is 0x01563E3AB5D3.
  const memory_id timed = parse_memory_id("01ARZ3NDEK0000000000000000").value();
  CHECK(timed.raw().substr(0, 6) == std::string_view("\x01\x56\x3E\x3A\xB5\xD3", 6));
}

TEST_CASE("what is no ULID") {
  for (const std::string text :
       {"", "0", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "01ARZ3NDEKTSV4RRFFQ69G5FA", "01ARZ3NDEKTSV4RRFFQ69G5FAVA", "01ARZ3NDEKTSV4RRFFQ69G5FAI",
        "01ARZ3NDEKTSV4RRFFQ69G5FAL", "01ARZ3NDEKTSV4RRFFQ69G5FAO", "01ARZ3NDEKTSV4RRFFQ69G5FAU",
        "01ARZ3NDEKTSV4RRFFQ69G5FAu", "01ARZ3NDEKTSV4RRFFQ69G5FA-", "01ARZ3NDEKTSV4RRFFQ69G5FA ",
        "I1ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5F\xC3\xA9"})
    CHECK(code_of(parse_memory_id(text)) == errc::bad_id);
}

TEST_CASE("hashes as hex") {
  rc::prop("round trip", [] {
    const digest d = any_digest();
    RC_ASSERT(parse_digest(to_hex(d)).value() == d);
  });
  const std::string hex(64, 'a');
  CHECK(to_hex(parse_digest(std::string(64, 'A')).value()) == hex);
  CHECK(code_of(parse_digest(hex.substr(1))) == errc::bad_value);
  CHECK(code_of(parse_digest(hex + "a")) == errc::bad_value);
  CHECK(code_of(parse_digest("g" + hex.substr(1))) == errc::bad_value);
  CHECK(code_of(parse_digest(hex.substr(1) + "\xFF")) == errc::bad_value);
  world_id world;
  world.bytes[0] = 0x0F;
  CHECK(to_hex(world) == "0f000000000000000000000000000000");
}

TEST_CASE("uris") {
  rc::prop("round trip", [] {
    const memory_uri uri{any_type(), any_id(), *rc::gen::inRange<std::uint32_t>(1, 4'000'000'000U)};
    RC_ASSERT(parse_memory_uri(to_string(uri)).value() == uri);
  });
  const std::string fact = "mneme://Fact/" + ulid;
  const auto uri = parse_memory_uri(fact + "#12");
  REQUIRE(uri);
  CHECK(uri->type == memory_type::fact);
  CHECK(uri->version == 12);
  CHECK(to_string(*uri) == fact + "#12");
  CHECK(parse_memory_uri(fact + "#4294967295").value().version == 4294967295U);
  const std::vector<std::string> malformed = {fact + "#latest",
                                              fact + "#0",
                                              fact + "#",
                                              fact,
                                              fact + "#01",
                                              fact + "#+1",
                                              fact + "#-1",
                                              fact + "#1 ",
                                              fact + "#1#2",
                                              fact + "#4294967296",
                                              fact + "#99999999999999999999",
                                              "mneme://fact/" + ulid + "#1",
                                              "mneme://Thing/" + ulid + "#1",
                                              "mneme:///" + ulid + "#1",
                                              "mneme://Fact/0#1",
                                              "Fact/" + ulid + "#1",
                                              "MNEME://Fact/" + ulid + "#1",
                                              "mneme://Fact#1/" + ulid,
                                              "mneme://Fact//" + ulid + "#1",
                                              std::string(),
                                              "mneme://Fact/8ZZZZZZZZZZZZZZZZZZZZZZZZZ#1"};
  for (const std::string& text : malformed) CHECK(code_of(parse_memory_uri(text)) == errc::bad_uri);
}
