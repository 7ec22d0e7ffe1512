#include "tests/docs/format_samples.hpp"

namespace mneme::testing {

namespace {

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
  json values{
      {"id", hex_of(v.id.raw())},
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
      {"nonce", hex_of(v.nonce)},
      {"hash", hex_of(v.hash.raw())}};
  json& from = values["provenance"];
  if (v.provenance.trust) from["trust"] = *v.provenance.trust;
  if (v.provenance.source_class) from["source_class"] = to_string(*v.provenance.source_class);
  return values;
}

json values_of_edge(const edge_record& e) {
  return {{"src", hex_of(e.key.src.raw())},
          {"type", "references"},
          {"dst", hex_of(e.key.dst.raw())},
          {"created_at", noon.ns},
          {"created_by", "ana"},
          {"weight", 0.5},
          {"data", "00ff"},
          {"kind", "cites"},
          {"end", {{"at", later.ns}, {"reason", "gone"}, {"by", "bob"}}},
          {"nonce", hex_of(e.nonce)}};
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
          {"accessed", {hex_of(id_from(0x01).raw())}},
          {"actor", "ana"},
          {"nonce", hex_of(counting<nonce>(0xB0))}};
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
          {"cited", {hex_of(id_from(0x01).raw())}},
          {"actor", "ana"},
          {"nonce", hex_of(counting<nonce>(0xB0))}};
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
          {"nonce", hex_of(counting<nonce>(0xB0))}};
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
    return json{{"id", hex_of(id.raw())}, {"type", type},     {"version", version},
                {"salience", salience},   {"tokens", tokens}, {"short", text}};
  };
  return {{"intent_id", "trip"},
          {"step_id", "1"},
          {"actor", "ana"},
          {"budget_tokens", 4000},
          {"tokens", 12},
          {"kept", json::array({weighed(id_from(0x01), "Fact", 2, 700'000'000, 9, "")})},
          {"compacted",
           json::array({weighed(id_from(0x11), "Note", 1, 412'000'000, 3, "tea at five")})},
          {"nonce", hex_of(counting<nonce>(0xB0))}};
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
          {"nonce", hex_of(counting<nonce>(0xB0))}};
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
          {"journal_root", hex_of(digest_from(0x01).raw())},
          {"state_roots",
           {{"edges", hex_of(digest_from(0x11).raw())},
            {"fields", hex_of(digest_from(0x21).raw())},
            {"memories", hex_of(digest_from(0x31).raw())}}},
          {"overall_root", hex_of(digest_from(0x41).raw())},
          {"created_at", noon.ns},
          {"trigger", "nightly"},
          {"counters", {{"edges", 1}, {"memories", 2}}}};
}

} // namespace

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
  return {{"id", hex_of(id_from(0x01).raw())},
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
            {"superseded_by", hex_of(id_from(0x21).raw())},
            {"at", later.ns},
            {"by", "bob"}}},
          {"embedding", {{"dim", 2}, {"version", 2}}},
          {"created_at", noon.ns},
          {"last_updated_at", later.ns},
          {"version_hash", hex_of(digest_from(0x40).raw())},
          {"erased", true},
          {"nonce", hex_of(counting<nonce>(0x80))}};
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

void add_records(format_samples& s) {
  s.add("head", encode(sample_head()), values_of_head());
  const version v = sample_version();
  s.add("version", encode(v), values_of_version(v));
  version told = v;
  told.provenance.trust = 0.25;
  told.provenance.source_class = source_class::web;
  told.hash = hash_of(told);
  s.add("told_version", encode(told), values_of_version(told));
  version laden = v;
  laden.payload = R"({"a": 1})";
  laden.hash = hash_of(laden);
  json laden_values = values_of_version(laden);
  laden_values["payload"] = laden.payload;
  s.add("laden_version", encode(laden), laden_values);
  head keyed = sample_head();
  keyed.key = memory_key{.name_space = "town", .name = "tea"};
  json keyed_values = values_of_head();
  keyed_values["key"] = {{"name_space", "town"}, {"name", "tea"}};
  s.add("keyed_head", encode(keyed), keyed_values);
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
  s.add("affirming_payload", encode(entry_payload(head_payload{sample_head(), true})),
        {{"head", values_of_head()}, {"affirms", true}});
  s.add("edge_payload", encode(entry_payload(edge_payload{e})), {{"edge", values_of_edge(e)}});
  s.add("embed_payload", encode(entry_payload(embed_payload{sample_head(), vector})),
        {{"head", values_of_head()}, {"vector", vector_values}});
  head topic = sample_head();
  topic.type = memory_type::topic;
  json values_of_topic = values_of_head();
  values_of_topic["type"] = "Topic";
  s.add("embed_payload_with_text",
        encode(entry_payload(embed_payload{topic, vector, "Ana\nallergy: nuts"})),
        {{"head", values_of_topic}, {"vector", vector_values}, {"text", "Ana\nallergy: nuts"}});
  s.add("find_late_payload", encode(entry_payload(sample_find_late())), values_of_find_late());
  const auto fresh = counting<nonce>(0xB0);
  s.add("reinforce_payload",
        encode(entry_payload(reinforce_payload{
            reinforcing_door::chroma, "ana", {{id_from(0x01), 0, 200'000'000}}, fresh})),
        {{"door", "chroma"},
         {"actor", "ana"},
         {"items", {{{"id", hex_of(id_from(0x01).raw())}, {"from_e9", 0}, {"to_e9", 200'000'000}}}},
         {"nonce", hex_of(fresh)}});
  s.add("decay_cycle_payload",
        encode(entry_payload(
            decay_cycle_payload{{{id_from(0x01), 150'000'000, false, true}}, "ana", fresh})),
        {{"items",
          {{{"id", hex_of(id_from(0x01).raw())}, {"strength_e9", 150'000'000}, {"flags", 2}}}},
         {"actor", "ana"},
         {"nonce", hex_of(fresh)}});
  s.add("assign_tag_payload", encode(entry_payload(assign_tag_payload{"#tea", 1001, "ana", fresh})),
        {{"tag", "#tea"}, {"anchor", 1001}, {"actor", "ana"}, {"nonce", hex_of(fresh)}});
  s.add("search_weights_payload",
        encode(entry_payload(search_weights_payload{"vector=1", "ana", fresh})),
        {{"weights", "vector=1"}, {"actor", "ana"}, {"nonce", hex_of(fresh)}});
  const edge_record left = sample_edge();
  s.add("erase_payload",
        encode(entry_payload(erase_payload{sample_head(), {}, {seq_no{3}, seq_no{9}}, fresh})),
        {{"head", values_of_head()}, {"seqs", {3, 9}}, {"nonce", hex_of(fresh)}});
  s.add("erase_payload_of_edge", encode(entry_payload(erase_payload{{}, left, {seq_no{7}}, fresh})),
        {{"edge", values_of_edge(left)}, {"seqs", {7}}, {"nonce", hex_of(fresh)}});
  trim_payload trim;
  trim.before = {12};
  trim.drop({3});
  trim.drop({9});
  trim.used = {{id_from(0x01),
                {.last_used = {1'700'000'000'000'000'000},
                 .access_count = 7,
                 .citations = 2,
                 .importance = 5,
                 .topic_salience_e9 = 1'000'000'000}}};
  trim.coloured = {{id_from(0x01),
                    {.strength_e9 = 150'000'000,
                     .last_accessed = {1'700'000'000'000'000'000},
                     .last_decay_at = timestamp{1'700'000'000'000'000'001},
                     .ascended = false,
                     .rotten = true}}};
  trim.reason = "a year has passed";
  trim.actor = "ana";
  trim.nonce = fresh;
  s.add("trim_payload", encode(entry_payload(trim)),
        {{"before", 12},
         {"dropped", "0401"},
         {"used",
          {{{"id", hex_of(id_from(0x01).raw())},
            {"last_used", 1'700'000'000'000'000'000},
            {"access_count", 7},
            {"citations", 2},
            {"importance", 5},
            {"salience_e9", 1'000'000'000}}}},
         {"coloured",
          {{{"id", hex_of(id_from(0x01).raw())},
            {"strength_e9", 150'000'000},
            {"last_accessed", 1'700'000'000'000'000'000},
            {"last_decay_at", 1'700'000'000'000'000'001},
            {"flags", 6}}}},
         {"reason", "a year has passed"},
         {"actor", "ana"},
         {"nonce", hex_of(fresh)}});
  trim_payload versions;
  versions.before = {12};
  versions.drop({3});
  versions.actor = "ana";
  versions.nonce = fresh;
  versions.versions = {{id_from(0x01), {{.first = 1, .last = 4}, {.first = 6, .last = 6}}}};
  versions.last_drawn = id_from(0x02);
  s.add("trim_payload_of_versions", encode(entry_payload(versions)),
        {{"before", 12},
         {"dropped", "04"},
         {"actor", "ana"},
         {"nonce", hex_of(fresh)},
         {"versions",
          {{{"id", hex_of(id_from(0x01).raw())},
            {"ranges", {{{"first", 1}, {"last", 4}}, {{"first", 6}, {"last", 6}}}}}}},
         {"last_drawn", hex_of(id_from(0x02).raw())}});
  s.add("snapshot_payload", encode(entry_payload(snapshot_payload{sample_manifest(), fresh})),
        {{"manifest", values_of_manifest()}, {"nonce", hex_of(fresh)}});
  s.add("attest_payload", encode(entry_payload(sample_attest())), values_of_attest());
  s.add("learn_weights_payload", encode(entry_payload(sample_learn_weights())),
        values_of_learn_weights());
  s.add("compact_payload", encode(entry_payload(sample_compact())), values_of_compact());
  s.add("scope_violation_payload", encode(entry_payload(sample_scope_violation())),
        values_of_scope_violation());
}

} // namespace mneme::testing
