// The bytes of records as an encoder of another language wrote them from the key tables: what is
// stored today must be read for ever.
// Of: messages/codec/records.cpp, messages/codec/data_codec.cpp, messages/codec/entry.cpp
// Of: messages/codec/payload.cpp

#include <numeric>

#include <catch2/catch.hpp>

#include "messages/codec/entry.hpp"
#include "messages/codec/records.hpp"
#include "messages/hash.hpp"

using namespace mneme;

namespace {

constexpr std::string_view head_hex =
    "de0013000101c4100102030405060708090a0b0c0d0e0f10020d030204a3616461050206070792a161a16208"
    "91930107a178099192a16b9401cb3ff0000000000000c3a1730a84010102cf17979cfe362a000005c306020b"
    "9591a168cb4049000000000000cbbff8000000000000cb0000000000000000a841646170746976650c8501a3"
    "6f6c64020103c4101112131415161718191a1b1c1d1e1f2004cf17979cfe71c4ca0005a3626f620d92cd0180"
    "020ecf17979cfe362a00000fcf17979cfe71c4ca0010c420d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0"
    "d0d0d0d0d0d0d0d0d0d0d0d011c312c410a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";

constexpr std::string_view small_head_hex =
    "8a000101c4100102030405060708090a0b0c0d0e0f1002020301050106050ecf17979cfe362a00000fcf1797"
    "9cfe362a000010c420d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d012c410"
    "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";

constexpr std::string_view version_hex =
    "de0010000101c4100102030405060708090a0b0c0d0e0f1002020303048301a374656103a670726566657204"
    "cb3fe000000000000005cf17979cfe362a000006a361646107cf17979cfe71c4ca0008cb3fe8000000000000"
    "098301030291a16d04a36576650a92a573686f7274a66d656469756d0b010ccf17979cfe362a00000dcf1797"
    "9cfe71c4ca000ec410a0a1a2a3a4a5a6a7a8a9aaabacadaeaf0fc42000000000000000000000000000000000"
    "00000000000000000000000000000000";

constexpr std::string_view version_hash_hex =
    "a0457b1e73dd2757a2894487b99b1ce47e5a553fe45cc3c54d102b3f3df104a2";

constexpr std::string_view edge_hex =
    "8b000101c4100102030405060708090a0b0c0d0e0f10020f03c4101112131415161718191a1b1c1d1e1f2004"
    "cf17979cfe362a000005a361646106ca3f80000007c402ff0008a46b696e64098301cf17979cfe71c4ca0002"
    "a66d657267656403a3626f620ac410a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";

constexpr std::string_view header_hex =
    "9701cd012c02cf17979cfe362a0000a36164619293a86d656d6f72696573c4200102030405060708090a0b0c"
    "0d0e0f101112131415161718191a1b1c1d1e1f20c420d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0"
    "d0d0d0d0d0d0d0d0d0d093a56564676573c420d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0"
    "d0d0d0d0d0d0d0c4200000000000000000000000000000000000000000000000000000000000000000c42011"
    "12131415161718191a1b1c1d1e1f200102030405060708090a0b0c0d0e0f10";

constexpr std::string_view write_payload_hex =
    "850001018a000101c4100102030405060708090a0b0c0d0e0f1002020301050106050ecf17979cfe362a0000"
    "0fcf17979cfe362a000010c420d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0"
    "d012c410a0a1a2a3a4a5a6a7a8a9aaabacadaeaf02de0010000101c4100102030405060708090a0b0c0d0e0f"
    "1002020303048301a374656103a670726566657204cb3fe000000000000005cf17979cfe362a000006a36164"
    "6107cf17979cfe71c4ca0008cb3fe8000000000000098301030291a16d04a36576650a92a573686f7274a66d"
    "656469756d0b010ccf17979cfe362a00000dcf17979cfe71c4ca000ec410a0a1a2a3a4a5a6a7a8a9aaabacad"
    "aeaf0fc42000000000000000000000000000000000000000000000000000000000000000000393a36d403102"
    "c4080000803f000000bf04c2";

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text.push_back(digits[static_cast<std::uint8_t>(c) >> 4]);
    text.push_back(digits[static_cast<std::uint8_t>(c) & 15U]);
  }
  return text;
}

template <class Bytes>
Bytes counting_from(std::uint8_t first) {
  Bytes bytes{};
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

const memory_id id_1{counting_from<std::array<std::uint8_t, 16>>(1)};
const memory_id id_2{counting_from<std::array<std::uint8_t, 16>>(17)};
const nonce some_nonce = counting_from<nonce>(0xA0);
const timestamp t1{1'700'000'000'000'000'000};
const timestamp t2{1'700'000'001'000'000'000};

digest filled(std::uint8_t byte) {
  digest d;
  d.bytes.fill(byte);
  return d;
}

head small_head() {
  head h;
  h.id = id_1;
  h.type = memory_type::fact;
  h.current_version = 1;
  h.created_at = h.last_updated_at = t1;
  h.version_hash = filled(0xD0);
  h.nonce = some_nonce;
  return h;
}

/// Every member that can be left out is there.
head full_head() {
  head h = small_head();
  h.type = memory_type::note;
  h.current_version = 2;
  h.actor_scope = "ada";
  h.visibility = visibility::scoped;
  h.declared_importance = 7;
  h.tags = {"a", "b"};
  h.frames = {{verb::find, object_kind::plan, "x"}};
  h.metadata["k"] = std::vector<scalar>{std::int64_t{1}, 1.0, true, std::string("s")};
  h.lifecycle.emplace().status = lifecycle_status::open;
  h.lifecycle->due_date = t1;
  h.lifecycle->atomic = true;
  h.lifecycle->audience = lifecycle_audience::work;
  h.colour = colour{{"h"}, 50, -1.5, 0, "Adaptive"};
  h.tombstone = tombstone{"old", tombstone_cause::superseded, id_2, t2, "bob"};
  h.embedding = embedding_ref{384, 2};
  h.last_updated_at = t2;
  h.erased = true;
  return h;
}

version some_version() {
  version v;
  v.id = id_1;
  v.number = 2;
  v.type = memory_type::preference;
  v.data = {
      {"topic", std::string("tea")}, {"polarity", std::string("prefer")}, {"strength_val", 0.5}};
  v.created_at = t1;
  v.created_by = "ada";
  v.expires_at = t2;
  v.confidence = 0.75;
  v.provenance.source = provenance_source::observed;
  v.provenance.derived_from = {"m"};
  v.provenance.signed_by = "eve";
  v.forms = {"short", "medium"};
  v.short_overridden = true;
  v.valid_from = t1;
  v.valid_until = t2;
  v.nonce = some_nonce;
  return v;
}

} // namespace

TEST_CASE("head bytes") {
  CHECK(hex(encode(full_head())) == head_hex);
  CHECK(hex(encode(small_head())) == small_head_hex);
}

TEST_CASE("version bytes and hash") {
  CHECK(hex(encode(some_version())) == version_hex);
  CHECK(to_hex(hash_of(some_version())) == version_hash_hex);
}

TEST_CASE("edge bytes") {
  edge_record e;
  e.key = {id_1, edge_type::related_to, id_2};
  e.created_at = t1;
  e.created_by = "ada";
  e.data = std::string("\xFF\x00", 2);
  e.kind = "kind";
  e.tombstoned = true;
  e.tombstoned_at = t2;
  e.tombstoned_reason = "merged";
  e.tombstoned_by = "bob";
  e.nonce = some_nonce;
  CHECK(hex(encode(e)) == edge_hex);
}

TEST_CASE("header bytes") {
  digest path;
  std::iota(path.bytes.begin(), path.bytes.end(), std::uint8_t{1});
  digest payload_hash;
  std::iota(payload_hash.bytes.begin(), payload_hash.bytes.begin() + 16, std::uint8_t{17});
  std::iota(payload_hash.bytes.begin() + 16, payload_hash.bytes.end(), std::uint8_t{1});
  const entry_header h{{300},
                       entry_kind::update,
                       t1,
                       "ada",
                       {{state_namespace::memories, path, filled(0xD0)},
                        {state_namespace::edges, filled(0xD0), digest{}}},
                       payload_hash};
  CHECK(hex(encode(h)) == header_hex);
}

TEST_CASE("write payload bytes") {
  const write_payload p{small_head(), some_version(), spaced_vector{{"m@1", 2}, {1.0F, -0.5F}},
                        false};
  CHECK(hex(encode(entry_payload(p))) == write_payload_hex);
}
