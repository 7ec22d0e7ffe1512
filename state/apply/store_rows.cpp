// What the store keeps of an entry.

#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "state/apply/apply.hpp"
#include "state/apply/entry_parts.hpp"
#include "state/execute/topic_events.hpp"
#include "storage/key_layout.hpp"

namespace mneme {

namespace {

/// As the payload has them; an entry that was read from the journal does not know where.
template <class Record>
std::string bytes_of(const Record& record, const record_span& span, const entry& e) {
  return span.size != 0 ? std::string(span.of(e.payload_bytes)) : encode(record);
}

/// The rows of a field: its state, the revisions that are new.
void append_field(const field_payload& p, seq_no seq, std::vector<kv_write>& writes) {
  const field_head& f = p.field.head;
  writes.push_back({kv_table::fields, keys::field(f.topic, f.name, seq), encode(p.field)});
  for (const auto& r : p.revisions)
    writes.push_back(
        {kv_table::fields, keys::field_revision(f.topic, f.name, r.number), encode(r)});
}

void append_events(const entry& e, std::vector<kv_write>& writes) {
  std::uint32_t index = 0;
  for (const auto& [topic, event] : events_of(e))
    writes.push_back(
        {kv_table::fields, keys::topic_event(topic, e.header.seq, index++), encode(event)});
}

} // namespace

void append_writes(const entry& e, std::vector<kv_write>& writes) {
  const seq_no seq = e.header.seq;
  if (const head* h = head_of(e.payload))
    writes.push_back({kv_table::heads, keys::head(h->id, seq), bytes_of(*h, e.head_span, e)});
  if (const version* v = version_of(e.payload))
    writes.push_back(
        {kv_table::versions, keys::version(v->id, v->number), bytes_of(*v, e.version_span, e)});
  if (const edge_record* edge = edge_of(e.payload))
    writes.push_back(
        {kv_table::edges, keys::edge(edge->key, seq), bytes_of(*edge, e.edge_span, e)});
  if (const auto* field = std::get_if<field_payload>(&e.payload)) append_field(*field, seq, writes);
  append_events(e, writes);
  if (const auto* trim = std::get_if<trim_payload>(&e.payload))
    for (const dropped_versions& d : trim->versions)
      writes.push_back({kv_table::versions, keys::trimmed_versions(d.id),
                        encode(trimmed_versions{.ranges = d.ranges, .by = seq})});
  if (const auto* snapshot = std::get_if<snapshot_payload>(&e.payload))
    writes.push_back({kv_table::manifests, keys::manifest(seq), encode(snapshot->manifest)});
  if (const auto* learned = std::get_if<learn_weights_payload>(&e.payload))
    writes.push_back({kv_table::weights, keys::weights(learned->actor, seq), e.payload_bytes});
  if (const auto* compact = std::get_if<compact_payload>(&e.payload))
    writes.push_back({kv_table::compacts, keys::compact(compact->intent_id, compact->step_id, seq),
                      e.payload_bytes});
}

} // namespace mneme
