// Prints, as JSON, one fixed sample of everything that docs/FORMATS.md describes: its bytes as the
// code writes them, the values that went in by name, and the numbers of the enums. formats_test.py
// holds it against the document and the golden files.

#include <iostream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "journal/frame.hpp"
#include "journal/hash_rules.hpp"
#include "journal/roots.hpp"
#include "journal/state_tree.hpp"
#include "messages/entry.hpp"
#include "messages/records.hpp"
#include "messages/schema.hpp"
#include "messages/topic_records.hpp"
#include "state/checkpoint.hpp"
#include "state/world_file.hpp"
#include "storage/key_layout.hpp"

namespace {

using namespace mneme;
using nlohmann::json;

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}
template <std::size_t Size>
std::string hex(const std::array<std::uint8_t, Size>& bytes) {
  return hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), Size));
}

/// first, first + 1, … so that every sample's bytes can be told apart in a dump.
template <class Array>
Array counting(std::uint8_t first) {
  Array out{};
  for (auto& byte : out) byte = first++;
  return out;
}
memory_id id_from(std::uint8_t first) {
  return {counting<decltype(memory_id::bytes)>(first)};
}
digest digest_from(std::uint8_t first) {
  return {counting<decltype(digest::bytes)>(first)};
}

constexpr timestamp noon{1'700'000'000'000'000'000};
constexpr timestamp later{1'700'000'000'500'000'000};

// -- the records, with every member set ---------------------------------------------------------

head sample_head() {
  head h;
  h.id = id_from(0x01);
  h.type = memory_type::fact;
  h.current_version = 2;
  h.actor_scope = "ana";
  h.visibility = visibility::scoped;
  h.declared_importance = 7;
  h.tags = {"red", "sky"};
  h.frames = {{verb::build, object_kind::plan, "x"}};
  h.metadata = {{"n", std::int64_t{3}}, {"s", std::vector<scalar>{true, 0.5}}};
  h.lifecycle = lifecycle{.status = lifecycle_status::waiting,
                          .due_date = later,
                          .project = "p",
                          .origin = lifecycle_origin::hook,
                          .atomic = true,
                          .audience = lifecycle_audience::work};
  h.colour = colour{.hashtags = {"#a"}, .L = 50, .a = 1.5, .b = -2, .mode = "Adaptive"};
  h.tombstone = tombstone{.reason = "old",
                          .cause = tombstone_cause::superseded,
                          .superseded_by = id_from(0x21),
                          .at = later,
                          .by = "bob"};
  h.embedding = embedding_ref{.dim = 2, .version = 2};
  h.created_at = noon;
  h.last_updated_at = later;
  h.version_hash = digest_from(0x40);
  h.erased = true;
  h.nonce = counting<nonce>(0x80);
  return h;
}
json values_of_head() {
  return {{"id", hex(id_from(0x01).raw())},
          {"type", "Fact"},
          {"current_version", 2},
          {"actor_scope", "ana"},
          {"visibility", "scoped"},
          {"declared_importance", 7},
          {"tags", {"red", "sky"}},
          {"frames", {{{"verb", "build"}, {"kind", "plan"}, {"ref", "x"}}}},
          {"metadata", {{"n", 3}, {"s", {true, 0.5}}}},
          {"lifecycle",
           {{"status", "waiting"},
            {"due_date", later.ns},
            {"project", "p"},
            {"origin", "hook"},
            {"atomic", true},
            {"audience", "work"}}},
          {"colour",
           {{"hashtags", {"#a"}}, {"L", 50.0}, {"a", 1.5}, {"b", -2.0}, {"mode", "Adaptive"}}},
          {"tombstone",
           {{"reason", "old"},
            {"cause", "superseded"},
            {"superseded_by", hex(id_from(0x21).raw())},
            {"at", later.ns},
            {"by", "bob"}}},
          {"embedding", {{"dim", 2}, {"version", 2}}},
          {"created_at", noon.ns},
          {"last_updated_at", later.ns},
          {"version_hash", hex(digest_from(0x40).raw())},
          {"erased", true},
          {"nonce", hex(counting<nonce>(0x80))}};
}

version sample_version() {
  version v;
  v.id = id_from(0x01);
  v.number = 2;
  v.type = memory_type::fact;
  v.data = {{"statement", "the sky is blue"}, {"subject", "sky"}, {"predicate", "colour"}};
  v.created_at = noon;
  v.created_by = "ana";
  v.expires_at = later;
  v.confidence = 0.5;
  v.provenance = {.source = provenance_source::observed,
                  .derived_from = {"mneme://Fact/0123456789ABCDEFGHJKMNPQRS#1"},
                  .attestations = {"a"},
                  .signed_by = "key",
                  .signed_at = noon,
                  .signature = "sig"};
  v.forms = {"short", "medium"};
  v.short_overridden = true;
  v.medium_overridden = true;
  v.valid_from = noon;
  v.valid_until = later;
  v.nonce = counting<nonce>(0x90);
  v.hash = hash_of(v);
  return v;
}
json values_of_version(const version& v) {
  return {{"id", hex(v.id.raw())},
          {"version", 2},
          {"type", "Fact"},
          {"data", {{"statement", "the sky is blue"}, {"subject", "sky"}, {"predicate", "colour"}}},
          {"created_at", noon.ns},
          {"created_by", "ana"},
          {"expires_at", later.ns},
          {"confidence", 0.5},
          {"provenance",
           {{"source", "observed"},
            {"derived_from", {"mneme://Fact/0123456789ABCDEFGHJKMNPQRS#1"}},
            {"attestations", {"a"}},
            {"signed_by", "key"},
            {"signed_at", noon.ns},
            {"signature", "sig"}}},
          {"forms", {{"short", "short"}, {"medium", "medium"}}},
          {"own_forms", 3},
          {"valid_from", noon.ns},
          {"valid_until", later.ns},
          {"nonce", hex(v.nonce)},
          {"hash", hex(v.hash.raw())}};
}

edge_record sample_edge() {
  edge_record e;
  e.key = {id_from(0x01), edge_type::references, id_from(0x21)};
  e.created_at = noon;
  e.created_by = "ana";
  e.weight = 0.5F;
  e.data = std::string("\x00\xff", 2);
  e.kind = "cites";
  e.tombstoned = true;
  e.tombstoned_at = later;
  e.tombstoned_reason = "gone";
  e.tombstoned_by = "bob";
  e.nonce = counting<nonce>(0xA0);
  return e;
}
json values_of_edge(const edge_record& e) {
  return {{"src", hex(e.key.src.raw())},
          {"type", "references"},
          {"dst", hex(e.key.dst.raw())},
          {"created_at", noon.ns},
          {"created_by", "ana"},
          {"weight", 0.5},
          {"data", "00ff"},
          {"kind", "cites"},
          {"end", {{"at", later.ns}, {"reason", "gone"}, {"by", "bob"}}},
          {"nonce", hex(e.nonce)}};
}

find_late_payload sample_find_late() {
  return {.predicate = "(has_tag \"sky\")",
          .types = {memory_type::fact},
          .tags = {"sky"},
          .limit = 5,
          .result_count = 1,
          .accessed = {id_from(0x01)},
          .actor = "ana",
          .nonce = counting<nonce>(0xB0)};
}
json values_of_find_late() {
  return {{"predicate", "(has_tag \"sky\")"},
          {"types", {"Fact"}},
          {"tags", {"sky"}},
          {"limit", 5},
          {"result_count", 1},
          {"accessed", {hex(id_from(0x01).raw())}},
          {"actor", "ana"},
          {"nonce", hex(counting<nonce>(0xB0))}};
}

attest_payload sample_attest() {
  return {.intent_id = "trip",
          .outcome = attest_outcome::failure,
          .reason = "factual_error",
          .cited = {id_from(0x01)},
          .actor = "ana",
          .nonce = counting<nonce>(0xB0)};
}
json values_of_attest() {
  return {{"intent_id", "trip"},
          {"outcome", "failure"},
          {"reason", "factual_error"},
          {"cited", {hex(id_from(0x01).raw())}},
          {"actor", "ana"},
          {"nonce", hex(counting<nonce>(0xB0))}};
}

learn_weights_payload sample_learn_weights() {
  return {.actor = "ana",
          .skipped = false,
          .weights = {250'000'001, 150'000'002, 300'000'003, 200'000'004, 99'999'990},
          .nonce = counting<nonce>(0xB0)};
}
json values_of_learn_weights() {
  return {{"actor", "ana"},
          {"skipped", false},
          {"weights",
           {{"recency", 250'000'001},
            {"access", 150'000'002},
            {"citations", 300'000'003},
            {"importance", 200'000'004},
            {"similarity", 99'999'990}}},
          {"nonce", hex(counting<nonce>(0xB0))}};
}

compact_payload sample_compact() {
  const memory_uri kept{memory_type::fact, id_from(0x01), 2};
  const memory_uri other{memory_type::note, id_from(0x11), 1};
  return {.intent_id = "trip",
          .step_id = "1",
          .actor = "ana",
          .budget_tokens = 4000,
          .tokens = 12,
          .kept = {{kept, 700'000'000, 9, {}}},
          .compacted = {{other, 412'000'000, 3, "tea at five"}},
          .nonce = counting<nonce>(0xB0)};
}
json values_of_compact() {
  const auto weighed = [](const memory_id& id, const char* type, int version, int salience,
                          int tokens, const char* text) {
    return json{{"id", hex(id.raw())},  {"type", type},     {"version", version},
                {"salience", salience}, {"tokens", tokens}, {"short", text}};
  };
  return {{"intent_id", "trip"},
          {"step_id", "1"},
          {"actor", "ana"},
          {"budget_tokens", 4000},
          {"tokens", 12},
          {"kept", json::array({weighed(id_from(0x01), "Fact", 2, 700'000'000, 9, "")})},
          {"compacted",
           json::array({weighed(id_from(0x11), "Note", 1, 412'000'000, 3, "tea at five")})},
          {"nonce", hex(counting<nonce>(0xB0))}};
}

scope_violation_payload sample_scope_violation() {
  return {.grantee = "sub",
          .granter = "ana",
          .actor = "ana",
          .target = "00000000000000000000000001",
          .nonce = counting<nonce>(0xB0)};
}
json values_of_scope_violation() {
  return {{"grantee", "sub"},
          {"granter", "ana"},
          {"actor", "ana"},
          {"target", "00000000000000000000000001"},
          {"nonce", hex(counting<nonce>(0xB0))}};
}

manifest sample_manifest() {
  return {.seq = {9},
          .journal_root = digest_from(0x01),
          .state_roots = {digest_from(0x11), digest_from(0x21), digest_from(0x31)},
          .overall_root = digest_from(0x41),
          .created_at = noon,
          .trigger = "nightly",
          .counters = {{"edges", 1}, {"memories", 2}}};
}
json values_of_manifest() {
  return {{"seq", 9},
          {"journal_root", hex(digest_from(0x01).raw())},
          {"state_roots",
           {{"edges", hex(digest_from(0x11).raw())},
            {"fields", hex(digest_from(0x21).raw())},
            {"memories", hex(digest_from(0x31).raw())}}},
          {"overall_root", hex(digest_from(0x41).raw())},
          {"created_at", noon.ns},
          {"trigger", "nightly"},
          {"counters", {{"edges", 1}, {"memories", 2}}}};
}

// -- an entry, and files -------------------------------------------------------------------------

entry sample_entry(seq_no seq) {
  const edge_record edge = sample_edge();
  entry_header header;
  header.seq = seq;
  header.kind = entry_kind::remove_edge;
  header.created_at = later;
  header.created_by = "bob";
  header.leaves = {{state_namespace::edges, state_path(state_namespace::edges, key_bytes(edge.key)),
                    sha256_of(encode(edge))}};
  return seal_entry(std::move(header), edge_payload{edge});
}
json values_of_header(const entry& e) {
  const state_leaf& leaf = e.header.leaves.front();
  return {{"schema", 1},
          {"seq", e.header.seq.value},
          {"kind", "remove_edge"},
          {"created_at", later.ns},
          {"created_by", "bob"},
          {"leaves",
           {{{"namespace", "edges"},
             {"path", hex(leaf.path.raw())},
             {"value_hash", hex(leaf.value_hash.raw())}}}},
          {"payload_hash", hex(e.header.payload_hash.raw())}};
}

template <class Enum>
json numbers_of() {
  json names = json::object();
  for (unsigned i = 0; i <= 0xFF; ++i)
    if (const auto name = to_string(static_cast<Enum>(i)); !name.empty())
      names[std::to_string(i)] = name;
  return names;
}

json data_fields() {
  const auto name_of_kind = [](field_kind kind) {
    switch (kind) {
    case field_kind::text:
    case field_kind::name:
      return "text";
    case field_kind::integer:
      return "int";
    case field_kind::real:
      return "f64";
    case field_kind::boolean:
      return "bool";
    case field_kind::time:
      return "time";
    case field_kind::id:
      return "bin16";
    case field_kind::text_list:
      return "texts";
    }
    return "";
  };
  json types = json::object();
  for (unsigned i = 1; i <= memory_type_count; ++i) {
    json fields = json::array();
    for (const auto& f : fields_of(static_cast<memory_type>(i)))
      fields.push_back(fmt::format("{} {}", f.name, name_of_kind(f.kind)));
    types[std::string(to_string(static_cast<memory_type>(i)))] = fields;
  }
  return types;
}

class samples {
public:
  void add(const std::string& name, std::string_view bytes, json values = nullptr) {
    bytes_[name] = hex(bytes);
    if (!values.is_null()) values_[name] = std::move(values);
  }
  [[nodiscard]] json document() const {
    return {{"bytes", bytes_},
            {"values", values_},
            {"data", data_fields()},
            {"enums",
             {{"memory_type", numbers_of<memory_type>()},
              {"edge_type", numbers_of<edge_type>()},
              {"visibility", numbers_of<visibility>()},
              {"verb", numbers_of<verb>()},
              {"object_kind", numbers_of<object_kind>()},
              {"provenance_source", numbers_of<provenance_source>()},
              {"lifecycle_status", numbers_of<lifecycle_status>()},
              {"lifecycle_origin", numbers_of<lifecycle_origin>()},
              {"lifecycle_audience", numbers_of<lifecycle_audience>()},
              {"tombstone_cause", numbers_of<tombstone_cause>()},
              {"attest_outcome", numbers_of<attest_outcome>()},
              {"topic_field_type", numbers_of<topic_field_type>()},
              {"topic_event_kind", numbers_of<topic_event_kind>()},
              {"reinforcing_door", numbers_of<reinforcing_door>()},
              {"entry_kind", numbers_of<entry_kind>()}}}};
  }

private:
  json bytes_ = json::object();
  json values_ = json::object();
};

void add_records(samples& s) {
  s.add("head", encode(sample_head()), values_of_head());
  const version v = sample_version();
  s.add("version", encode(v), values_of_version(v));
  const edge_record e = sample_edge();
  s.add("edge", encode(e), values_of_edge(e));
  s.add("manifest", encode(sample_manifest()), values_of_manifest());

  const spaced_vector vector{{"external", 2}, {0.6F, -0.8F}};
  const json vector_values = {{"model", "external"}, {"dim", 2}, {"values", "9a99193fcdcc4cbf"}};
  s.add("write_payload", encode(entry_payload(write_payload{sample_head(), v, vector, true})),
        {{"head", values_of_head()},
         {"version", values_of_version(v)},
         {"vector", vector_values},
         {"id_drawn", true}});
  s.add("update_payload", encode(entry_payload(update_payload{sample_head(), v, vector})),
        {{"head", values_of_head()}, {"version", values_of_version(v)}, {"vector", vector_values}});
  s.add("head_payload", encode(entry_payload(head_payload{sample_head()})),
        {{"head", values_of_head()}});
  s.add("edge_payload", encode(entry_payload(edge_payload{e})), {{"edge", values_of_edge(e)}});
  s.add("embed_payload", encode(entry_payload(embed_payload{sample_head(), vector})),
        {{"head", values_of_head()}, {"vector", vector_values}});
  s.add("find_late_payload", encode(entry_payload(sample_find_late())), values_of_find_late());
  const auto fresh = counting<nonce>(0xB0);
  s.add("reinforce_payload",
        encode(entry_payload(reinforce_payload{
            reinforcing_door::chroma, "ana", {{id_from(0x01), 0, 200'000'000}}, fresh})),
        {{"door", "chroma"},
         {"actor", "ana"},
         {"items", {{{"id", hex(id_from(0x01).raw())}, {"from_e9", 0}, {"to_e9", 200'000'000}}}},
         {"nonce", hex(fresh)}});
  s.add(
      "decay_cycle_payload",
      encode(entry_payload(
          decay_cycle_payload{{{id_from(0x01), 150'000'000, false, true}}, "ana", fresh})),
      {{"items", {{{"id", hex(id_from(0x01).raw())}, {"strength_e9", 150'000'000}, {"flags", 2}}}},
       {"actor", "ana"},
       {"nonce", hex(fresh)}});
  s.add("assign_tag_payload", encode(entry_payload(assign_tag_payload{"#tea", 1001, "ana", fresh})),
        {{"tag", "#tea"}, {"anchor", 1001}, {"actor", "ana"}, {"nonce", hex(fresh)}});
  s.add("snapshot_payload", encode(entry_payload(snapshot_payload{sample_manifest(), fresh})),
        {{"manifest", values_of_manifest()}, {"nonce", hex(fresh)}});
  s.add("attest_payload", encode(entry_payload(sample_attest())), values_of_attest());
  s.add("learn_weights_payload", encode(entry_payload(sample_learn_weights())),
        values_of_learn_weights());
  s.add("compact_payload", encode(entry_payload(sample_compact())), values_of_compact());
  s.add("scope_violation_payload", encode(entry_payload(sample_scope_violation())),
        values_of_scope_violation());
}

json values_of(const topic_field& f) {
  return {{"head",
           {{"topic", hex(f.head.topic.raw())},
            {"name", f.head.name},
            {"type", "float"},
            {"ref_topic_id", hex(f.head.ref_topic_id->raw())},
            {"revisions", f.head.revisions},
            {"newest_hash", hex(f.head.newest_hash.raw())}}},
          {"current", f.current},
          {"salience", f.salience_e9}};
}

json values_of(const field_revision& r) {
  return {{"topic", hex(r.topic.raw())},
          {"field", r.field},
          {"number", r.number},
          {"value", {{"m", 12.5}, {"soundings", {1, true, nullptr, "four"}}}},
          {"valid_from", r.valid_from.ns},
          {"valid_until", r.valid_until->ns},
          {"why_changed", r.why_changed},
          {"impact_expected", r.impact_expected},
          {"operation", r.operation},
          {"provenance", {{"source", "observed"}}},
          {"created_at", r.created_at.ns},
          {"created_by", r.created_by},
          {"merged_from", hex(r.merged_from->raw())},
          {"nonce", hex(r.nonce)},
          {"hash", hex(r.hash.raw())}};
}

field_revision sample_revision() {
  const json_value soundings{std::vector<json_value>{
      {std::int64_t{1}}, {true}, {std::monostate{}}, {std::string("four")}}};
  field_revision r;
  r.topic = id_from(0x01);
  r.field = "depth";
  r.number = 2;
  r.value.node = std::vector<json_member>{{"m", {12.5}}, {"soundings", soundings}};
  r.valid_from = later;
  r.valid_until = timestamp{later.ns + 1};
  r.why_changed = "dredged";
  r.impact_expected = "larger ships";
  r.operation = "measure";
  r.provenance.source = provenance_source::observed;
  r.created_at = later;
  r.created_by = "ana";
  r.merged_from = id_from(0x21);
  r.nonce = counting<nonce>(0xB0);
  r.hash = hash_of(r);
  return r;
}

void add_topics(samples& s) {
  const field_revision r = sample_revision();
  const topic_field f{.head = {.topic = r.topic,
                               .name = r.field,
                               .type = topic_field_type::float_,
                               .ref_topic_id = id_from(0x31),
                               .revisions = 2,
                               .newest_hash = r.hash},
                      .current = 2,
                      .salience_e9 = 2'500'000'000};
  s.add("field_head", encode(f.head), values_of(f)["head"]);
  s.add("topic_field", encode(f), values_of(f));
  s.add("field_revision", encode(r), values_of(r));
  s.add("field_payload", encode(entry_payload(field_payload{f, {r}})),
        {{"field", values_of(f)}, {"revisions", {values_of(r)}}});
  const topic_event event{.seq = {9},
                          .ts = later,
                          .kind = topic_event_kind::merged,
                          .from_e9 = 1,
                          .to_e9 = 2,
                          .reason = "why",
                          .field = "depth",
                          .revision = 3,
                          .topic = id_from(0x21)};
  s.add("topic_event", encode(event),
        {{"seq", 9},
         {"ts", later.ns},
         {"kind", "merged"},
         {"from", 1},
         {"to", 2},
         {"reason", "why"},
         {"field", "depth"},
         {"revision", 3},
         {"topic", hex(id_from(0x21).raw())}});
  s.add("topic_archive_payload",
        encode(entry_payload(topic_archive_payload{sample_head(), 40'000'000, 20'000'000})),
        {{"head", values_of_head()}, {"from", 40'000'000}, {"to", 20'000'000}});
  s.add("topic_merge_payload",
        encode(entry_payload(topic_merge_payload{id_from(0x21), sample_head()})),
        {{"keeper", hex(id_from(0x21).raw())}, {"head", values_of_head()}});
  const auto fresh = counting<nonce>(0xB0);
  s.add("topic_salience_payload",
        encode(entry_payload(topic_salience_payload{id_from(0x21), 1, 2, "set", fresh})),
        {{"topic", hex(id_from(0x21).raw())},
         {"from", 1},
         {"to", 2},
         {"reason", "set"},
         {"nonce", hex(fresh)}});
}

void add_journal(samples& s) {
  const world_id world{counting<decltype(world_id::bytes)>(0xC0)};
  const entry first = sample_entry({8});
  s.add("header", first.header_bytes, values_of_header(first));

  const std::vector<entry> entries = {first, sample_entry({9})};
  const auto frame = encode_frame(entries, {8}, false, digest_from(0x10), digest_from(0x50), {5});
  s.add("frame", frame.bytes,
        {{"magic", "MNFR"},
         {"format", journal_format},
         {"flags", 0},
         {"first_seq", 8},
         {"count", 2},
         {"header_bytes", 2 * (4 + first.header_bytes.size())},
         {"payload_bytes", 2 * (9 + first.payload_bytes.size())},
         {"previous_frame", hex(digest_from(0x10).raw())},
         {"previous_root", hex(digest_from(0x50).raw())},
         {"durable_through", 5},
         {"headers", {hex(first.header_bytes), hex(entries[1].header_bytes)}},
         {"payloads", {hex(first.payload_bytes), hex(entries[1].payload_bytes)}},
         {"frame_hash", hex(frame.hash.raw())}});
  const auto seal = encode_frame({}, {10}, true, frame.hash, digest_from(0x70), {9});
  s.add("seal", seal.bytes,
        {{"magic", "MNFR"},
         {"format", journal_format},
         {"flags", 1},
         {"first_seq", 10},
         {"count", 0},
         {"header_bytes", 0},
         {"payload_bytes", 0},
         {"previous_frame", hex(frame.hash.raw())},
         {"previous_root", hex(digest_from(0x70).raw())},
         {"durable_through", 9},
         {"headers", json::array()},
         {"payloads", json::array()},
         {"frame_hash", hex(seal.hash.raw())}});
  s.add("segment_head",
        encode(segment_head{.world = world,
                            .branch = counting<decltype(segment_head::branch)>(0xD0),
                            .first_seq = {8},
                            .previous_frame = digest_from(0x10),
                            .previous_segment = {3}}),
        {{"magic", "MNSG"},
         {"format", journal_format},
         {"world", hex(world.raw())},
         {"branch", hex(counting<decltype(segment_head::branch)>(0xD0))},
         {"first_seq", 8},
         {"previous_frame", hex(digest_from(0x10).raw())},
         {"previous_segment", 3}});
}

void add_roots(samples& s) {
  const world_id world{counting<decltype(world_id::bytes)>(0xC0)};
  const std::string key = key_bytes({id_from(0x01), edge_type::references, id_from(0x21)});
  const tree_leaf left{state_path(state_namespace::edges, key), digest_from(0x01)};
  tree_leaf right = left; // differs in the second bit of the path
  right.path.bytes[0] ^= 0x40;
  s.add("edge_key", key);
  s.add("edge_path", left.path.raw());
  s.add("tree_leaf", tree_leaf_hash(left).raw());
  s.add("tree_empty", tree_root_of({}).raw());
  s.add("tree_two_leaves", tree_root_of({left, right}).raw(),
        {{"leaves",
          json::array({json::array({hex(left.path.raw()), hex(left.value_hash.raw())}),
                       json::array({hex(right.path.raw()), hex(right.value_hash.raw())})})}});
  s.add("log_empty", empty_log_root().raw());
  s.add("log_leaf", log_leaf_hash(sample_entry({8}).header_bytes).raw());
  s.add("log_node", log_node_hash(digest_from(0x01), digest_from(0x21)).raw());
  const root_set empty = empty_roots(world);
  s.add("overall_root_empty", empty.overall.raw());
  s.add("overall_root", overall_root_of(world, {9}, digest_from(0x01),
                                        {digest_from(0x11), digest_from(0x21), digest_from(0x31)})
                            .raw());
}

void add_files(samples& s) {
  const world_file world{.id = {counting<decltype(world_id::bytes)>(0xC0)},
                         .name = "demo",
                         .branch = counting<decltype(world_file::branch)>(0xD0),
                         .embedder = "hash:384"};
  s.add("world_file", encode(world),
        {{"format", 1},
         {"world", hex(world.id.raw())},
         {"name", "demo"},
         {"branch", hex(world.branch)},
         {"embedder", "hash:384"}});
  s.add("world_id_of_seed_1", seeded_world_id("demo", 1).raw());
  const checkpoint_file checkpoint{.seq = {9},
                                   .node_count = 4,
                                   .next_slot = 3,
                                   .last_drawn_id = id_from(0x01),
                                   .last_entry_at = later,
                                   .overall_root = digest_from(0x41)};
  s.add("checkpoint_file", encode(checkpoint),
        {{"format", 1},
         {"seq", 9},
         {"node_count", 4},
         {"next_slot", 3},
         {"last_drawn_id", hex(id_from(0x01).raw())},
         {"last_entry_at", later.ns},
         {"overall_root", hex(digest_from(0x41).raw())}});
}

void add_keys(samples& s) {
  const edge_key edge{id_from(0x01), edge_type::references, id_from(0x21)};
  s.add("key_heads", keys::head(id_from(0x01), {9}));
  s.add("key_versions", keys::version(id_from(0x01), 2));
  s.add("key_edges", keys::edge(edge, {9}));
  s.add("key_fields_field", keys::field(id_from(0x01), "depth", {9}));
  s.add("key_fields_revision", keys::field_revision(id_from(0x01), "depth", 2));
  s.add("key_fields_event", keys::topic_event(id_from(0x01), {9}, 1));
  s.add("key_state_leaves", keys::state_leaf(state_namespace::memories, digest_from(0x40)));
  s.add("key_manifests", keys::manifest({9}));
  s.add("key_weights", keys::weights("ana", {9}));
  s.add("key_compacts", keys::compact("trip", "1", {9}));
}

} // namespace

int main() {
  samples s;
  add_records(s);
  add_topics(s);
  add_journal(s);
  add_roots(s);
  add_files(s);
  add_keys(s);
  std::cout << s.document().dump(1) << "\n";
}
