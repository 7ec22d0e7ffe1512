// Entries are sealed and opened again; headers name kinds and namespaces as auditors do.

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "messages/codec/entry.hpp"
#include "messages/codec/records.hpp"
#include "messages/hash.hpp"
#include "tests/messages/codec/any_record.hpp"

using namespace mneme;
using namespace mneme::test;

namespace {

entry_header header_of(std::uint64_t seq, entry_kind kind) {
  entry_header header;
  header.seq = {seq};
  header.kind = kind;
  return header;
}

} // namespace

TEST_CASE("a sealed entry opens as it was") {
  rc::prop("seal, open", [] {
    entry_header header = any_header();
    auto drawn = any_payload();
    header.kind = drawn.first;
    const entry sealed = seal_entry(header, drawn.second);
    RC_ASSERT(sealed.header.payload_hash == sha256_of(sealed.payload_bytes));
    RC_ASSERT(encode(sealed.header) == sealed.header_bytes);
    const auto opened = open_entry(sealed.header_bytes, sealed.payload_bytes, false);
    RC_ASSERT(opened.has_value());
    RC_ASSERT(opened->header == sealed.header);
    RC_ASSERT(opened->payload == drawn.second);
    RC_ASSERT(opened->header_bytes == sealed.header_bytes);
    RC_ASSERT(opened->payload_bytes == sealed.payload_bytes);
  });
  rc::prop("a changed payload is refused", [] {
    entry_header header = any_header();
    auto drawn = any_payload();
    header.kind = drawn.first;
    const entry sealed = seal_entry(header, drawn.second);
    const std::string other = damaged(sealed.payload_bytes, *rc::gen::arbitrary<std::uint64_t>());
    RC_PRE(other != sealed.payload_bytes);
    const auto opened = open_entry(sealed.header_bytes, other, false);
    RC_ASSERT(!opened.has_value());
    RC_ASSERT(opened.error().code == errc::corrupt);
  });
}

TEST_CASE("records that are encoded already give the same entry, and are found in it") {
  rc::prop("seal with what is ready", [] {
    entry_header header = any_header();
    auto drawn = any_payload();
    header.kind = drawn.first;
    ready_records ready;
    std::string head_bytes;
    std::string version_bytes;
    std::string edge_bytes;
    std::visit(
        [&](const auto& p) {
          if constexpr (requires { p.head.actor_scope; }) head_bytes = encode(p.head);
          if constexpr (requires { p.version.number; }) version_bytes = encode(p.version);
          if constexpr (requires { p.edge.key; }) edge_bytes = encode(p.edge);
        },
        drawn.second);
    ready.head = head_bytes;
    ready.version = version_bytes;
    ready.edge = edge_bytes;
    const entry plain = seal_entry(header, drawn.second);
    const entry sealed = seal_entry(header, drawn.second, ready);
    RC_ASSERT(sealed.payload_bytes == plain.payload_bytes);
    RC_ASSERT(sealed.header_bytes == plain.header_bytes);
    RC_ASSERT(encode(drawn.second) == plain.payload_bytes);
    for (const entry* e : {&plain, &sealed}) {
      RC_ASSERT(e->head_span.of(e->payload_bytes) == head_bytes);
      RC_ASSERT(e->version_span.of(e->payload_bytes) == version_bytes);
      RC_ASSERT(e->edge_span.of(e->payload_bytes) == edge_bytes);
    }
  });
}

TEST_CASE("an erased payload opens without its hash") {
  entry_header header = header_of(7, entry_kind::tombstone);
  head h;
  h.type = memory_type::note;
  h.current_version = 1;
  const entry sealed = seal_entry(header, head_payload{h});
  const std::string wiped(sealed.payload_bytes.size(), '\0');
  CHECK(!open_entry(sealed.header_bytes, wiped, false));
  const auto opened = open_entry(sealed.header_bytes, wiped, true);
  REQUIRE(opened);
  CHECK(opened->header == sealed.header);
  CHECK(std::holds_alternative<erased_payload>(opened->payload));
  CHECK(!open_entry("x", wiped, true));
}

TEST_CASE("a payload of another kind is refused") {
  entry_header header = header_of(1, entry_kind::write);
  head h;
  h.type = memory_type::note;
  h.current_version = 1;
  entry sealed = seal_entry(header, head_payload{h});
  const auto opened = open_entry(sealed.header_bytes, sealed.payload_bytes, false);
  REQUIRE(!opened);
  CHECK(opened.error().code == errc::corrupt);
}

TEST_CASE("kinds without a payload here are refused by name") {
  const auto refused = decode_entry_payload(entry_kind::migration, "\x80");
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::format_unsupported);
  CHECK(refused.error().message.find("migration") != std::string::npos);
}

TEST_CASE("headers refuse what no journal has") {
  entry_header header = header_of(1, entry_kind::write);
  REQUIRE(decode_entry_header(encode(header)));
  SECTION("seq 0") {
    header.seq = {0};
  }
  SECTION("kind 0") {
    header.kind = {};
  }
  SECTION("kind of the future") {
    header.kind = static_cast<entry_kind>(28);
  }
  SECTION("namespace") {
    header.leaves = {{static_cast<state_namespace>(3), {}, {}}};
  }
  SECTION("time") {
    header.created_at.ns = -5;
  }
  const auto refused = decode_entry_header(encode(header));
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::corrupt);
}

TEST_CASE("paths separate namespaces and keys") {
  // SHA-256(03 'e' 'd' 'g' 'e' 's' 00 'k'), by another implementation.
  CHECK(to_hex(state_path(state_namespace::edges, "k"))
        == "187ae2cb2dfb892f6856d663819a436ead286fbee24fef8640e46a2d59535f67");
  CHECK(!(state_path(state_namespace::edges, "k") == state_path(state_namespace::fields, "k")));
  CHECK(!(state_path(state_namespace::memories, "") == state_path(state_namespace::memories, "k")));
}

TEST_CASE("vectors must fit their space") {
  write_payload p;
  p.head.type = p.version.type = memory_type::note;
  p.head.current_version = p.version.number = 1;
  p.vector = spaced_vector{{"m", 2}, {0.5F, -0.0F}};
  const auto decodes = [&] {
    return decode_entry_payload(entry_kind::write, encode(entry_payload(p))).has_value();
  };
  REQUIRE(decodes());
  SECTION("too few") {
    p.vector->values.pop_back();
  }
  SECTION("none") {
    p.vector = spaced_vector{{"m", 0}, {}};
  }
  SECTION("not finite") {
    p.vector->values[0] = std::numeric_limits<float>::infinity();
  }
  SECTION("NaN") {
    p.vector->values[0] = std::numeric_limits<float>::quiet_NaN();
  }
  SECTION("too long") {
    p.vector = spaced_vector{{"m", 4097}, std::vector<float>(4097, 1.0F)};
  }
  CHECK(!decodes());
}
