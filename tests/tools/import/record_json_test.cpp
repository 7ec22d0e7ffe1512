// Whole records go through JSON and come back with the same canonical bytes.

#include "tools/import/record_json.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "messages/codec/records.hpp"

using namespace mneme;
using namespace mneme::importing;

namespace {

head full_head() {
  head h;
  h.id.bytes.fill(1);
  h.type = memory_type::goal;
  h.current_version = 3;
  h.actor_scope = "ana";
  h.visibility = visibility::scoped;
  h.declared_importance = 9;
  h.tags = {"a", "b"};
  h.frames = {{verb::find, object_kind::plan, "r"}};
  h.metadata = {{"f", 1.0}, {"i", std::int64_t{1}}, {"l", std::vector<scalar>{true, 0.1}}};
  h.lifecycle = lifecycle{.status = lifecycle_status::open,
                          .due_date = timestamp{1},
                          .project = "p",
                          .origin = {},
                          .atomic = true,
                          .audience = lifecycle_audience::work};
  h.tombstone = tombstone{.reason = "r",
                          .cause = tombstone_cause::wrong,
                          .superseded_by = h.id,
                          .at = timestamp{5},
                          .by = "b"};
  h.embedding = embedding_ref{.dim = 4, .version = 2};
  h.created_at = timestamp{1'700'000'000'123'456'789};
  h.last_updated_at = timestamp{1'700'000'000'123'456'790};
  h.version_hash.bytes.fill(7);
  h.nonce.fill(0xFE);
  return h;
}

} // namespace

TEST_CASE("a head comes back whole") {
  const head h = full_head();
  const auto text = protocol::print(head_record_json(h));
  const auto back = read_head_record(protocol::parse_json(text).value(), {});
  REQUIRE(back.has_value());
  CHECK(*back == h);
  CHECK(encode(*back) == encode(h));
}

TEST_CASE("a version comes back whole") {
  version v;
  v.id.bytes.fill(2);
  v.number = 2;
  v.type = memory_type::event;
  v.data = {{"kind", std::string("payment")},
            {"outcome", std::string("success")},
            {"cost.asset", std::string("EUR")},
            {"cost.amount", std::string("1.5")},
            {"duration", std::int64_t{5}}};
  v.created_at = timestamp{3};
  v.created_by = "ana";
  v.expires_at = timestamp{9};
  v.confidence = 0.1;
  v.forms = {.short_form = "s", .medium_form = "m"};
  v.medium_overridden = true;
  v.valid_from = timestamp{1};
  v.valid_until = timestamp{2};
  v.nonce.fill(3);
  v.hash = hash_of(v);
  const auto text = protocol::print(version_record_json(v));
  const auto back = read_version_record(protocol::parse_json(text).value(), {});
  REQUIRE(back.has_value());
  CHECK(*back == v);
  CHECK(hash_of(*back) == v.hash);
}

TEST_CASE("an edge comes back whole") {
  edge_record e;
  e.key.src.bytes.fill(1);
  e.key.type = edge_type::part_of;
  e.key.dst.bytes.fill(2);
  e.weight = 0.1F;
  e.data = std::string("\0\xFF", 2);
  e.kind = "k";
  e.tombstoned = true;
  e.tombstoned_at = timestamp{4};
  e.tombstoned_reason = "r";
  e.nonce.fill(9);
  const auto text = protocol::print(edge_record_json(e));
  const auto back = read_edge_record(protocol::parse_json(text).value(), {});
  REQUIRE(back.has_value());
  CHECK(*back == e);
}

TEST_CASE("a record that lacks or exceeds something is refused with the path") {
  auto value = head_record_json(full_head());
  value.erase("nonce");
  CHECK(read_head_record(value, {}).error().at == "nonce");
  value["nonce"] = "AAAA";
  CHECK(read_head_record(value, {}).error().code == errc::bad_value);
  value = head_record_json(full_head());
  value["more"] = 1;
  CHECK(read_head_record(value, {}).error().code == errc::unknown_key);
}
