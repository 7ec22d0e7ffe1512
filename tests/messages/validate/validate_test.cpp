// Requests: every rule that needs no state, with its code and the path of the key.
// Of: messages/validate/request_checker.cpp

#include <limits>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "messages/codec/records.hpp"
#include "messages/text/time_text.hpp"
#include "messages/validate/fault_list.hpp"
#include "messages/validate/validate.hpp"
#include "messages/validate/validate_agents.hpp"

using namespace mneme;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
const std::string bad_text = "\xC3";

template <class Request>
void refused(const Request& r, errc code, std::string_view at) {
  const auto outcome = validate(r);
  REQUIRE(!outcome);
  CHECK(to_string(outcome.error().code) == to_string(code));
  CHECK(outcome.error().at == at);
  CHECK(!outcome.error().message.empty());
}

memory_id id_of(std::uint8_t tail) {
  memory_id id;
  id.bytes[15] = tail;
  return id;
}

write_request good_write() {
  write_request r;
  r.type = memory_type::note;
  r.data = {{"statement", std::string("x")}};
  r.actor = "ada";
  return r;
}

update_request good_update() {
  update_request r;
  r.uri = {memory_type::note, id_of(1), 1};
  r.data = {{"statement", std::string("x")}};
  return r;
}

update_head_request good_patch() {
  update_head_request r;
  r.uri = {memory_type::note, id_of(1), 1};
  r.importance = 3;
  return r;
}

add_edge_request good_edge() {
  add_edge_request r;
  r.src = id_of(1);
  r.type = 3;
  r.dst = id_of(2);
  return r;
}

/// Tags that are all different.
std::vector<std::string> some_tags(std::size_t count) {
  std::vector<std::string> tags;
  for (std::size_t i = 0; i < count; ++i) tags.push_back("t" + std::to_string(i));
  return tags;
}

lifecycle in_status(lifecycle_status status) {
  lifecycle l;
  l.status = status;
  return l;
}

put_record_request good_record() {
  put_record_request r;
  r.version.id = r.head.id = id_of(1);
  r.version.type = r.head.type = memory_type::note;
  r.version.number = r.head.current_version = 1;
  r.version.data = {{"statement", std::string("x")}};
  r.version.hash = r.head.version_hash = hash_of(r.version);
  return r;
}

} // namespace

TEST_CASE("a name is not blank and has no control characters") {
  const std::string nul("a\0b", 3);
  for (const std::string& name : {std::string("  "), nul, std::string("a\nb")}) {
    auto w = good_write();
    w.actor = name;
    refused(w, errc::bad_value, "actor");
    w = good_write();
    w.created_by = name;
    refused(w, errc::bad_value, "created_by");
    w = good_write();
    w.tags = {"tea", name};
    refused(w, errc::bad_value, "tags[1]");
    w = good_write();
    w.frames = {{verb::build, object_kind::plan, name}};
    refused(w, errc::bad_value, "frames[0].ref");
    auto p = good_patch();
    p.tags = {{name}};
    refused(p, errc::bad_value, "tags[0]");
    p = good_patch();
    p.by = name;
    refused(p, errc::bad_value, "by");
    auto e = good_edge();
    e.actor = name;
    refused(e, errc::bad_value, "actor");
    CHECK_FALSE(validate_acting(name));
    CHECK(validate_actor(name)); // may ask for what it wrote before this was refused
  }
  CHECK(validate_acting(""));
}

TEST_CASE("the steps that are journaled have names; others are still asked for") {
  for (const std::string& name : {std::string("a\0b", 3), std::string("a\nb")}) {
    attest_request attest;
    attest.intent_id = name;
    attest.cited = {"mneme://Note/x"};
    REQUIRE_FALSE(validate(attest));
    CHECK(validate(attest).error().code == errc::bad_value);
    CHECK(validate(attest).error().at == "intent_id");
    compact_request compact;
    compact.intent_id = "trip";
    compact.step_id = name;
    REQUIRE_FALSE(validate(compact));
    CHECK(validate(compact).error().at == "step_id");
    load_compact_request load;
    load.intent_id = load.step_id = name;
    CHECK(validate(load));
  }
}

TEST_CASE("what a journal may hold is restored, whatever names may be given today") {
  put_edge_record_request r;
  r.edge.key = {id_of(1), edge_type::related_to, id_of(2)};
  r.edge.created_at = {1};
  r.edge.created_by = "a\nb";
  CHECK(validate(r));
}

TEST_CASE("a tag is kept in its composed form, and is as long as that") {
  CHECK(normalise_tags({"cafe\u0301", "caf\u00E9", "a"})
        == std::vector<std::string>{"a", "caf\u00E9"});
  auto w = good_write();
  w.tags = {std::string()};
  for (int i = 0; i < 21; ++i) w.tags[0] += "\u0958"; // 63 bytes, composed 126
  refused(w, errc::limit_exceeded, "tags[0]");
}

TEST_CASE("write: tags") {
  write_request r = good_write();
  CHECK(validate(r));
  r.tags = some_tags(max_tags);
  r.tags.push_back(r.tags.front()); // a repeated tag is one tag
  CHECK(validate(r));
  r.tags.push_back("one more");
  refused(r, errc::limit_exceeded, "tags");
  r.tags = {"ok", ""};
  refused(r, errc::limit_exceeded, "tags[1]");
  r.tags = {"a", "b", "c", std::string(max_tag_bytes + 1, 'x')};
  refused(r, errc::limit_exceeded, "tags[3]");
  r.tags.back().pop_back();
  CHECK(validate(r));
  r.tags = {bad_text};
  refused(r, errc::bad_utf8, "tags[0]");
}

TEST_CASE("write: frames") {
  write_request r = good_write();
  const intent_frame good{verb::find, object_kind::plan, "x"};
  r.frames = std::vector<intent_frame>(max_frames, good);
  CHECK(validate(r));
  r.frames.push_back(good);
  refused(r, errc::limit_exceeded, "frames");
  r.frames = {{verb::find, object_kind::plan, ""}};
  refused(r, errc::limit_exceeded, "frames[0].ref");
  r.frames = {good, {verb::find, object_kind::plan, std::string(max_ref_bytes + 1, 'x')}};
  refused(r, errc::limit_exceeded, "frames[1].ref");
  r.frames[1].ref.pop_back();
  CHECK(validate(r));
  r.frames = {{verb::find, object_kind::plan, bad_text}};
  refused(r, errc::bad_utf8, "frames[0].ref");
  r.frames = {{verb{}, object_kind::plan, "x"}};
  refused(r, errc::bad_value, "frames[0].verb");
  r.frames = {{verb::find, static_cast<object_kind>(9), "x"}};
  refused(r, errc::bad_value, "frames[0].kind");
}

TEST_CASE("write: metadata") {
  write_request r = good_write();
  r.metadata["k.with.dots"] = std::vector<scalar>{std::string("a"), std::int64_t{1}, 0.5, true};
  CHECK(validate(r));
  r.metadata = {{"k", bad_text}};
  refused(r, errc::bad_utf8, "metadata.k");
  r.metadata = {{"k", std::vector<scalar>{std::string("a"), bad_text}}};
  refused(r, errc::bad_utf8, "metadata.k[1]");
  r.metadata = {{bad_text, true}};
  refused(r, errc::bad_utf8, "metadata");
  r.metadata = {{"k", nan_value}};
  refused(r, errc::out_of_range, "metadata.k");
  r.metadata = {{"k", std::vector<scalar>{double{infinity}}}};
  refused(r, errc::out_of_range, "metadata.k[0]");
  r.metadata = {{std::string(max_metadata_key_bytes, 'k'), true}};
  CHECK(validate(r));
  r.metadata = {{std::string(max_metadata_key_bytes + 1, 'k'), true}};
  refused(r, errc::limit_exceeded, "metadata");
  r.metadata.clear();
  for (std::size_t i = 0; i < max_metadata_keys; ++i) r.metadata["k" + std::to_string(i)] = true;
  CHECK(validate(r));
  r.metadata["one more"] = true;
  refused(r, errc::limit_exceeded, "metadata");
  // [[key, text]]: an array of one, a pair, a key of one byte, and a text with a 3-byte prefix.
  const std::size_t frame = 1 + 1 + 2 + 3;
  r.metadata = {{"k", std::string(max_metadata_bytes - frame, 'x')}};
  CHECK(validate(r));
  r.metadata = {{"k", std::string(max_metadata_bytes - frame + 1, 'x')}};
  refused(r, errc::limit_exceeded, "metadata");
}

TEST_CASE("write: numbers and names") {
  write_request r = good_write();
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{11}, std::int64_t{256 + 5}}) {
    r.importance = bad;
    refused(r, errc::out_of_range, "importance");
  }
  r.importance = 10;
  CHECK(validate(r));
  for (const double bad : {-0.1, 1.1, nan_value}) {
    r.confidence = bad;
    refused(r, errc::out_of_range, "confidence");
  }
  r.confidence = 0;
  CHECK(validate(r));
  r.visibility = visibility{};
  refused(r, errc::bad_value, "visibility");
  r = good_write();
  r.type = memory_type{};
  refused(r, errc::bad_value, "type");
  r = good_write();
  r.id = memory_id{};
  refused(r, errc::bad_id, "id");
  r = good_write();
  r.data.clear();
  refused(r, errc::missing_field, "data.statement");
}

TEST_CASE("write: times") {
  write_request r = good_write();
  const timestamp late{max_timestamp.ns + 1};
  r.valid_from = timestamp{-1};
  refused(r, errc::bad_time, "valid_from");
  r.valid_from = timestamp{5};
  r.valid_until = late;
  refused(r, errc::bad_time, "valid_until");
  r.valid_until = timestamp{5};
  refused(r, errc::bad_interval, "valid_until");
  r.valid_until = timestamp{4};
  refused(r, errc::bad_interval, "valid_until");
  r.valid_until = timestamp{6};
  CHECK(validate(r));
  r.expires_at = late;
  refused(r, errc::bad_time, "expires_at");
  r = good_write();
  r.created_at = late;
  refused(r, errc::bad_time, "created_at");
  // Without valid_from the interval begins at created_at.
  r.created_at = timestamp{10};
  r.valid_until = timestamp{10};
  refused(r, errc::bad_interval, "valid_until");
}

TEST_CASE("write: text") {
  write_request r = good_write();
  r.actor = std::string(max_actor_bytes + 1, 'a');
  refused(r, errc::limit_exceeded, "actor");
  r.actor.pop_back();
  CHECK(validate(r));
  r.actor = bad_text;
  refused(r, errc::bad_utf8, "actor");
  r = good_write();
  r.created_by = std::string(max_actor_bytes + 1, 'a');
  refused(r, errc::limit_exceeded, "created_by");
  r = good_write();
  r.forms.short_form = bad_text;
  refused(r, errc::bad_utf8, "forms.short");
  r = good_write();
  r.forms.medium_form = bad_text;
  refused(r, errc::bad_utf8, "forms.medium");
}

TEST_CASE("write: provenance") {
  write_request r = good_write();
  const std::string source = "mneme://Note/01HZZZZZZZZZZZZZZZZZZZZZZ2#1";
  r.provenance.derived_from = {source, bad_text};
  refused(r, errc::bad_utf8, "provenance.derived_from[1]");
  r.provenance.derived_from = {source, "not a uri"};
  refused(r, errc::bad_uri, "provenance.derived_from[1]");
  r.provenance.derived_from = {"mneme://Note/01HZZZZZZZZZZZZZZZZZZZZZZ2#0"};
  refused(r, errc::bad_uri, "provenance.derived_from[0]");
  r = good_write();
  r.provenance.attestations = {bad_text};
  refused(r, errc::bad_utf8, "provenance.attestations[0]");
  r = good_write();
  r.provenance.signed_by = bad_text;
  refused(r, errc::bad_utf8, "provenance.signed_by");
  r = good_write();
  r.provenance.signature = bad_text;
  refused(r, errc::bad_utf8, "provenance.signature");
  r = good_write();
  r.provenance.signed_at = timestamp{-1};
  refused(r, errc::bad_time, "provenance.signed_at");
  r = good_write();
  r.provenance.source = provenance_source{};
  refused(r, errc::bad_value, "provenance.source");
  r = good_write();
  r.provenance.derived_from.assign(2000, source);
  refused(r, errc::limit_exceeded, "provenance");
}

TEST_CASE("write: lifecycle") {
  write_request r = good_write();
  r.lifecycle.emplace().status = lifecycle_status::open;
  r.lifecycle->due_date = timestamp{5};
  CHECK(validate(r));
  r.lifecycle.emplace().status = lifecycle_status{};
  refused(r, errc::bad_value, "lifecycle.status");
  r.lifecycle.emplace().due_date = timestamp{-1};
  refused(r, errc::bad_time, "lifecycle.due_date");
  r.lifecycle.emplace().project = bad_text;
  refused(r, errc::bad_utf8, "lifecycle.project");
  r.lifecycle.emplace().project = std::string(max_free_text_bytes + 1, 'x');
  refused(r, errc::limit_exceeded, "lifecycle.project");
  r.lifecycle.emplace().origin = lifecycle_origin{};
  refused(r, errc::bad_value, "lifecycle.origin");
  r.lifecycle.emplace().audience = lifecycle_audience{};
  refused(r, errc::bad_value, "lifecycle.audience");
}

TEST_CASE("vectors") {
  write_request r = good_write();
  const std::vector<std::vector<float>> bad = {{},
                                               {0.0F, -0.0F},
                                               {1.0F, infinity},
                                               {std::numeric_limits<float>::quiet_NaN()},
                                               std::vector<float>(max_vector_dim + 1, 1.0F)};
  for (const auto& v : bad) {
    r.vector = v;
    refused(r, errc::bad_vector, "vector");
    update_request u = good_update();
    u.vector = v;
    refused(u, errc::bad_vector, "vector");
  }
  r.vector = std::vector<float>(max_vector_dim, 1.0F);
  CHECK(validate(r));
}

TEST_CASE("update") {
  CHECK(validate(good_update()));
  update_request r = good_update();
  r.type = memory_type::note;
  CHECK(validate(r));
  r.type = memory_type::fact;
  refused(r, errc::type_data_mismatch, "type");
  r.type = memory_type{};
  refused(r, errc::bad_value, "type");
  r = good_update();
  r.uri.version = 0;
  refused(r, errc::bad_uri, "uri");
  r = good_update();
  r.uri.type = memory_type{};
  refused(r, errc::bad_uri, "uri");
  r = good_update();
  r.data["nosuch"] = true;
  refused(r, errc::unknown_key, "data.nosuch");
  r = good_update();
  r.valid_from = timestamp{2};
  r.valid_until = timestamp{2};
  refused(r, errc::bad_interval, "valid_until");
  r = good_update();
  r.confidence = 2;
  refused(r, errc::out_of_range, "confidence");
}

TEST_CASE("update_head") {
  CHECK(validate(good_patch()));
  update_head_request r = good_patch();
  r.importance.reset();
  refused(r, errc::no_op, "");
  r.tags = std::vector<std::string>{};
  CHECK(validate(r)); // clearing the tags is a change
  r.tags = some_tags(max_tags + 1);
  refused(r, errc::limit_exceeded, "tags");
  r = good_patch();
  r.importance = 11;
  refused(r, errc::out_of_range, "importance");
  r = good_patch();
  r.frames = std::vector<intent_frame>{{verb::find, object_kind::plan, ""}};
  refused(r, errc::limit_exceeded, "frames[0].ref");
  r = good_patch();
  r.metadata = metadata_map{{"k", nan_value}};
  refused(r, errc::out_of_range, "metadata.k");
  r = good_patch();
  r.visibility = visibility{};
  refused(r, errc::bad_value, "visibility");
  r = good_patch();
  r.lifecycle.emplace().due_date = timestamp{-1};
  refused(r, errc::bad_time, "lifecycle.due_date");
  r = good_patch();
  r.by = std::string(max_actor_bytes + 1, 'x');
  refused(r, errc::limit_exceeded, "by");
  r = good_patch();
  r.uri.version = 0;
  refused(r, errc::bad_uri, "uri");
}

TEST_CASE("tombstone") {
  tombstone_request r;
  r.uri = {memory_type::note, id_of(1), 1};
  CHECK(validate(r));
  for (const auto cause : {tombstone_cause::superseded, tombstone_cause::wrong,
                           tombstone_cause::deleted, tombstone_cause::expired}) {
    r.cause = cause;
    CHECK(validate(r));
  }
  r.cause = tombstone_cause::erased;
  refused(r, errc::bad_value, "cause");
  r.cause = tombstone_cause{};
  refused(r, errc::bad_value, "cause");
  r.cause = tombstone_cause::deleted;
  r.reason = bad_text;
  refused(r, errc::bad_utf8, "reason");
  r.reason = std::string(max_free_text_bytes + 1, 'x');
  refused(r, errc::limit_exceeded, "reason");
  r.reason.clear();
  r.superseded_by = memory_id{};
  refused(r, errc::bad_id, "superseded_by");
  r.superseded_by = id_of(2);
  r.by = bad_text;
  refused(r, errc::bad_utf8, "by");
}

TEST_CASE("add_edge reports type, then self, then zero, then sizes") {
  CHECK(validate(good_edge()));
  add_edge_request r;
  r.weight = infinity;
  refused(r, errc::invalid_edge_type, "type");
  r.type = edge_type_count + 1;
  refused(r, errc::invalid_edge_type, "type");
  r.type = edge_type_count;
  refused(r, errc::self_edge, "dst");
  r.dst = id_of(1);
  refused(r, errc::zero_id, "src");
  std::swap(r.src, r.dst);
  refused(r, errc::zero_id, "dst");
  r.dst = id_of(2);
  refused(r, errc::out_of_range, "weight");
  r.weight = -1.0F;
  CHECK(validate(r));
  r.kind = bad_text;
  refused(r, errc::bad_utf8, "kind");
  r.kind = std::string(max_free_text_bytes + 1, 'x');
  refused(r, errc::limit_exceeded, "kind");
  r.kind.clear();
  r.data = std::string(max_edge_data_bytes, '\xFF'); // opaque bytes
  CHECK(validate(r));
  r.data.push_back('x');
  refused(r, errc::limit_exceeded, "data");
  r = good_edge();
  r.created_at = timestamp{-1};
  refused(r, errc::bad_time, "created_at");
  r = good_edge();
  r.by = std::string(max_actor_bytes + 1, 'x');
  refused(r, errc::limit_exceeded, "by");
}

TEST_CASE("remove_edge") {
  remove_edge_request r;
  refused(r, errc::invalid_edge_type, "type");
  r.type = 1;
  refused(r, errc::self_edge, "dst");
  r.src = id_of(1);
  refused(r, errc::zero_id, "dst");
  r.dst = id_of(2);
  CHECK(validate(r));
  r.reason = bad_text;
  refused(r, errc::bad_utf8, "reason");
  r.reason.clear();
  r.actor = std::string(max_actor_bytes + 1, 'x');
  refused(r, errc::limit_exceeded, "actor");
}

TEST_CASE("a scope names so many of a kind, and no more") {
  scope s;
  s.actor = "ana";
  s.granted_to = "sub";
  const auto refused_at = [&] {
    const auto checked = validate(s);
    if (checked) return std::string("ok");
    CHECK(checked.error().code == errc::limit_exceeded);
    return checked.error().at;
  };
  for (auto* selector : {&s.include, &s.exclude}) {
    selector->ids.resize(max_scope_names);
    selector->tags.resize(max_scope_names, "tea");
    selector->types.resize(max_scope_names, memory_type::note);
    selector->frame = frame_selector{.action = verb::find,
                                     .refs = std::vector<std::string>(max_scope_names, "kitchen")};
    CHECK(refused_at() == "ok");
    selector->ids.emplace_back();
    CHECK(refused_at() == "scope.ids");
    selector->ids.pop_back();
    selector->tags.emplace_back();
    CHECK(refused_at() == "scope.tags");
    selector->tags.pop_back();
    selector->types.push_back(memory_type::note);
    CHECK(refused_at() == "scope.types");
    selector->types.pop_back();
    selector->frame->refs.emplace_back();
    CHECK(refused_at() == "scope.frame");
    selector->frame->refs.pop_back();
  }
}

TEST_CASE("restore takes what could have been written, and nothing else") {
  put_record_request r = good_record();
  CHECK(validate(r));
  const auto rehash = [&] { r.version.hash = r.head.version_hash = hash_of(r.version); };
  SECTION("another id") {
    r.head.id = id_of(2);
    refused(r, errc::bad_value, "head");
  }
  SECTION("no id") {
    r.head.id = r.version.id = memory_id{};
    rehash();
    refused(r, errc::bad_id, "head.id");
  }
  SECTION("another hash") {
    r.version.hash.bytes[0] ^= 1U;
    r.head.version_hash = r.version.hash;
    refused(r, errc::bad_value, "version.hash");
  }
  SECTION("erased") {
    r.head.erased = true;
    refused(r, errc::bad_value, "head.erased");
  }
  SECTION("tags out of order") {
    r.head.tags = {"b", "a"};
    refused(r, errc::bad_value, "head");
  }
  SECTION("version 0") {
    r.version.number = r.head.current_version = 0;
    rehash();
    refused(r, errc::bad_value, "head");
  }
  SECTION("time") {
    r.version.created_at = timestamp{-1};
    rehash();
    refused(r, errc::bad_value, "version");
  }
  SECTION("integer for a number") {
    r.version.type = r.head.type = memory_type::pattern;
    r.version.data["strength"] = std::int64_t{1};
    rehash();
    refused(r, errc::bad_value, "version");
  }
  SECTION("data") {
    r.version.data["nosuch"] = true;
    refused(r, errc::unknown_key, "data.nosuch");
  }
  SECTION("text") {
    r.version.forms.medium_form = bad_text;
    refused(r, errc::bad_utf8, "version.forms.medium");
  }
  SECTION("colour") {
    r.head.colour.emplace().L = nan_value;
    refused(r, errc::out_of_range, "head.colour");
  }
  SECTION("interval") {
    r.version.valid_from = timestamp{5};
    r.version.valid_until = timestamp{5};
    rehash();
    refused(r, errc::bad_interval, "version.valid_until");
  }
  SECTION("vector") {
    r.vector = std::vector<float>{};
    refused(r, errc::bad_vector, "vector");
  }
}

TEST_CASE("restore_edge") {
  put_edge_record_request r;
  r.edge.key = {id_of(1), edge_type::references, id_of(2)};
  CHECK(validate(r));
  r.edge.tombstoned_reason = "but it lives";
  refused(r, errc::bad_value, "tombstoned");
  r.edge.tombstoned = true;
  refused(r, errc::bad_value, "tombstoned");
  r.edge.tombstoned_at = timestamp{5};
  CHECK(validate(r));
  r.edge.tombstoned_at = timestamp{-5};
  refused(r, errc::bad_time, "tombstoned_at");
  r.edge.tombstoned_at = timestamp{5};
  r.edge.tombstoned_reason = bad_text;
  refused(r, errc::bad_utf8, "tombstoned_reason");
  r.edge.tombstoned_reason.clear();
  r.edge.key.dst = r.edge.key.src;
  refused(r, errc::self_edge, "dst");
}

TEST_CASE("tags are distinct and in bytewise order") {
  CHECK(normalise_tags({"b", "a", "b", "B", "é", "ab"})
        == std::vector<std::string>{"B", "a", "ab", "b", "é"});
  CHECK(normalise_tags({}).empty());
}

TEST_CASE("moves of a lifecycle") {
  using enum lifecycle_status;
  const std::vector<lifecycle_status> all = {open, waiting, scheduled, resolved, expired, archived};
  // Rows: from; columns: to; in the order of `all`.
  const std::vector<std::string_view> allowed = {"111111", "110111", "101111",
                                                 "100101", "100011", "111111"};
  for (std::size_t from = 0; from < all.size(); ++from)
    for (std::size_t to = 0; to < all.size(); ++to) {
      CAPTURE(to_string(all[from]), to_string(all[to]));
      const auto moved = validate_transition(in_status(all[from]), in_status(all[to]));
      CHECK(moved.has_value() == (allowed[from][to] == '1'));
      if (!moved) {
        CHECK(moved.error().code == errc::bad_transition);
        CHECK(moved.error().at == "lifecycle.status");
      }
    }
  for (const auto status : all) {
    CHECK(validate_transition(std::nullopt, in_status(status)));
    CHECK(validate_transition(lifecycle{}, in_status(status)));
    CHECK(validate_transition(in_status(status), lifecycle{}));
  }
}

TEST_CASE("a write supersedes others, by uris, and not too many") {
  write_request r = good_write();
  r.id = id_of(1);
  r.supersedes = {{memory_type::note, id_of(2), 1}};
  CHECK(validate(r));
  r.supersedes.push_back({memory_type::note, id_of(3), 0});
  refused(r, errc::bad_uri, "supersedes[1]");
  r.supersedes[1] = {memory_type::note, id_of(1), 1};
  refused(r, errc::self_edge, "supersedes[1]");
  r.supersedes.assign(max_superseded + 1, {memory_type::note, id_of(2), 1});
  refused(r, errc::limit_exceeded, "supersedes");
}

TEST_CASE("an update of a span brings nothing that it keeps") {
  update_request r;
  r.uri = {memory_type::note, id_of(1), 1};
  r.replace = text_replacement{"old", "new"};
  CHECK(validate(r));
  r.data["statement"] = std::string("x");
  refused(r, errc::bad_value, "replace");
  r.data.clear();
  r.confidence = 0.5;
  refused(r, errc::bad_value, "confidence");
  r.confidence = 1.0;
  r.provenance.signed_by = "ana";
  refused(r, errc::bad_value, "provenance");
  r.provenance = {};
  r.replace->to = bad_text;
  refused(r, errc::bad_utf8, "replace.new");
  r.replace->from.clear();
  refused(r, errc::missing_field, "replace.old");
}

TEST_CASE("faults of several are told as those of one, and counted where they are too many") {
  const auto faults_at = [](std::string_view front, std::size_t count) {
    fault_list faults;
    for (std::size_t i = 0; i < count; ++i)
      faults.add({errc::bad_value, "no good", fmt::format("{}{}", front, i), {}});
    return faults;
  };
  const error many = faults_at("a", 12).refusal().error();
  CHECK(many.faults.size() == 8);
  CHECK(many.message.ends_with("; also at a7: no good; and 4 more"));
  fault_list all = faults_at("b", 5);
  all.add(many);
  all.leave_out(2);
  CHECK(all.size() == 5 + 12 + 2);
  const error told = placed_within(all.refusal().error(), "items[3]");
  CHECK(told.message.ends_with("; also at items[3].a2: no good; and 11 more"));
  fault_list once_more;
  once_more.add(told);
  CHECK(once_more.size() == 19);
  once_more.add({errc::bad_value, "no good: and 3 more", "c", {}});
  CHECK(once_more.size() == 20);
}
