#include "messages/codec/topic_records.hpp"
#include "tests/docs/format_samples.hpp"

namespace mneme::testing {

namespace {

json values_of(const topic_field& f) {
  return {{"head",
           {{"topic", hex_of(f.head.topic.raw())},
            {"name", f.head.name},
            {"type", "float"},
            {"ref_topic_id", hex_of(f.head.ref_topic_id->raw())},
            {"revisions", f.head.revisions},
            {"newest_hash", hex_of(f.head.newest_hash.raw())}}},
          {"current", f.current},
          {"salience", f.salience_e9}};
}

json values_of(const field_revision& r) {
  return {{"topic", hex_of(r.topic.raw())},
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
          {"merged_from", hex_of(r.merged_from->raw())},
          {"nonce", hex_of(r.nonce)},
          {"hash", hex_of(r.hash.raw())}};
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

} // namespace

void add_topics(format_samples& s) {
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
         {"topic", hex_of(id_from(0x21).raw())}});
  s.add("topic_archive_payload",
        encode(entry_payload(topic_archive_payload{sample_head(), 40'000'000, 20'000'000})),
        {{"head", values_of_head()}, {"from", 40'000'000}, {"to", 20'000'000}});
  s.add("topic_merge_payload",
        encode(entry_payload(topic_merge_payload{id_from(0x21), sample_head()})),
        {{"keeper", hex_of(id_from(0x21).raw())}, {"head", values_of_head()}});
  const auto fresh = counting<nonce>(0xB0);
  s.add("topic_salience_payload",
        encode(entry_payload(topic_salience_payload{id_from(0x21), 1, 2, "set", fresh})),
        {{"topic", hex_of(id_from(0x21).raw())},
         {"from", 1},
         {"to", 2},
         {"reason", "set"},
         {"nonce", hex_of(fresh)}});
}

} // namespace mneme::testing
