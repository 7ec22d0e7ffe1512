// Every record and payload comes back from its bytes as it was, and no other bytes are taken.
// Of: messages/codec/data_codec.cpp, messages/codec/payload.cpp, messages/validate/item_parser.cpp

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "messages/codec/records.hpp"
#include "tests/messages/codec/any_record.hpp"

using namespace mneme;
using namespace mneme::test;

namespace {

constexpr int mutations_per_case = 60;

/// decode(encode(x)) == x; and whatever damaged bytes are accepted are the encoding of what they
/// decode to, so that one value has one encoding.
template <class Value, class Decode>
void check_codec(const Value& value, Decode decode) {
  const std::string bytes = encode(value);
  auto back = decode(bytes);
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == value);
  RC_ASSERT(encode(*back) == bytes);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  std::string mutant = bytes;
  for (std::uint64_t i = 0; i < mutations_per_case; ++i) {
    if (i % 3 == 0) mutant = bytes;
    mutant = damaged(mutant, seed + i);
    auto accepted = decode(mutant);
    if (accepted)
      RC_ASSERT(encode(*accepted) == mutant);
    else
      RC_ASSERT(accepted.error().code == errc::corrupt);
  }
  RC_ASSERT(!decode(bytes + '\0'));
  RC_ASSERT(!decode(std::string_view(bytes).substr(0, bytes.size() - 1)));
}

} // namespace

TEST_CASE("records and payloads have one encoding each") {
  rc::prop("head", [] { check_codec(any_head(), decode_head); });
  rc::prop("version", [] { check_codec(any_version(), decode_version); });
  rc::prop("edge", [] { check_codec(any_edge(), decode_edge); });
  rc::prop("header", [] { check_codec(any_header(), decode_entry_header); });
  rc::prop("manifest", [] { check_codec(any_manifest(), decode_manifest); });
  rc::prop("payload", [] {
    const auto drawn = any_payload();
    const entry_kind kind = drawn.first;
    check_codec(drawn.second,
                [kind](std::string_view bytes) { return decode_entry_payload(kind, bytes); });
  });
}

TEST_CASE("the hash of a version covers everything but itself") {
  rc::prop("hash_of", [] {
    version v = any_version();
    version blank = v;
    blank.hash = {};
    RC_ASSERT(hash_of(v) == sha256_of(encode(blank)));
    const std::string sealed = seal(blank);
    RC_ASSERT(sealed == encode(blank));
    RC_ASSERT(blank.hash == hash_of(v));
    const digest before = hash_of(v);
    v.hash = any_digest();
    RC_ASSERT(hash_of(v) == before);
    v.nonce[15] ^= 1U;
    RC_ASSERT(!(hash_of(v) == before));
  });
}

TEST_CASE("keys of edges order as the edges do") {
  rc::prop("key_bytes", [] {
    const edge_key a = any_edge().key;
    edge_key b = any_edge().key;
    if (*rc::gen::arbitrary<bool>()) b.src = a.src;
    if (*rc::gen::arbitrary<bool>()) b.type = a.type;
    RC_ASSERT(key_bytes(a).size() == 33U);
    RC_ASSERT((key_bytes(a) < key_bytes(b)) == (a < b));
    RC_ASSERT((key_bytes(a) == key_bytes(b)) == (a == b));
  });
}

TEST_CASE("what is left out as a default is refused when it is there") {
  head h;
  h.id.bytes[15] = 1;
  h.type = memory_type::note;
  h.current_version = 1;
  const std::string bytes = encode(h);
  REQUIRE(decode_head(bytes).has_value());
  // key 3 (current_version = 1), then key 5: an empty actor_scope, tags, lifecycle flag … between.
  const std::size_t after_version = bytes.find(std::string("\x03\x01\x05", 3)) + 2;
  REQUIRE(after_version > 2);
  std::string with_empty_scope = bytes;
  with_empty_scope.insert(after_version, std::string("\x04\xA0", 2));
  with_empty_scope[0] = static_cast<char>(with_empty_scope[0] + 1); // one more pair in the map
  const auto refused = decode_head(with_empty_scope);
  REQUIRE(!refused);
  CHECK(refused.error().message.find("default") != std::string::npos);
}

TEST_CASE("values that a reader relies on are checked") {
  head h;
  h.type = memory_type::note;
  h.current_version = 1;
  h.tags = {"a", "b"};
  const auto refused = [](const auto& record, auto decode) {
    const auto decoded = decode(encode(record));
    return !decoded && decoded.error().code == errc::corrupt;
  };
  REQUIRE(!refused(h, decode_head));
  SECTION("type") {
    h.type = static_cast<memory_type>(16);
  }
  SECTION("no type") {
    h.type = {};
  }
  SECTION("version 0") {
    h.current_version = 0;
  }
  SECTION("visibility") {
    h.visibility = static_cast<visibility>(4);
  }
  SECTION("importance") {
    h.declared_importance = 11;
  }
  SECTION("order of tags") {
    h.tags = {"b", "a"};
  }
  SECTION("repeated tag") {
    h.tags = {"a", "a"};
  }
  SECTION("verb") {
    h.frames = {{static_cast<verb>(11), object_kind::plan, "x"}};
  }
  SECTION("object kind") {
    h.frames = {{verb::find, static_cast<object_kind>(9), "x"}};
  }
  SECTION("negative time") {
    h.created_at.ns = -1;
  }
  SECTION("time after 2261") {
    h.last_updated_at.ns = 9'214'646'400'000'000'000;
  }
  SECTION("infinite metadata") {
    h.metadata["x"] = std::numeric_limits<double>::infinity();
  }
  SECTION("lifecycle") {
    h.lifecycle.emplace().status = static_cast<lifecycle_status>(7);
  }
  SECTION("cause") {
    h.tombstone.emplace().cause = static_cast<tombstone_cause>(6);
  }
  SECTION("dimension") {
    h.embedding = embedding_ref{4097, 1};
  }
  SECTION("vector of no version") {
    h.embedding = embedding_ref{8, 0};
  }
  CHECK(refused(h, decode_head));
}

TEST_CASE("data is checked against the schema when it is read") {
  version v;
  v.type = memory_type::preference;
  v.number = 1;
  v.data = {{"topic", std::string("tea")}, {"strength_val", 0.5}};
  REQUIRE(decode_version(encode(v)).has_value());
  SECTION("kind") {
    v.data["topic"] = std::int64_t{3};
  }
  SECTION("integer for a number") {
    v.data["strength_val"] = std::int64_t{1};
  }
  SECTION("interval") {
    v.data["strength_val"] = 1.5;
  }
  SECTION("name") {
    v.data["polarity"] = std::string("perhaps");
  }
  SECTION("version 0") {
    v.number = 0;
  }
  SECTION("confidence") {
    v.confidence = 1.25;
  }
  const auto refused = decode_version(encode(v));
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::corrupt);
}
