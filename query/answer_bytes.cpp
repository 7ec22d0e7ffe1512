#include "query/answer_bytes.hpp"

#include "messages/held_bytes.hpp"

namespace mneme {

namespace {

std::uint64_t bytes_of(const field_revision& r) {
  return sizeof(r) + r.field.size() + held_bytes(r.value) + r.why_changed.size()
         + r.impact_expected.size() + r.operation.size() + held_bytes(r.provenance)
         + r.created_by.size();
}

std::uint64_t bytes_of(const std::vector<lineage_item>& items) {
  std::uint64_t bytes = 0;
  for (const auto& i : items) bytes += sizeof(i) + i.title.size();
  return bytes;
}

std::uint64_t bytes_of_erased(const std::vector<topic_field>& fields) {
  std::uint64_t bytes = 0;
  for (const topic_field& f : fields)
    bytes += sizeof(f) + f.head.name.size() + (f.erased ? f.erased->reason.size() : 0);
  return bytes;
}

} // namespace

std::uint64_t answer_bytes(const memory& m) {
  return sizeof(m) + held_bytes(*m.head) + held_bytes(*m.version);
}

std::uint64_t answer_bytes(const change& c) {
  std::uint64_t bytes =
      sizeof(c) + c.made_by.size() + c.name.size() + held_bytes(c.used) + held_bytes(c.fields);
  if (c.key) bytes += c.key->name_space.size() + c.key->name.size();
  if (c.record) bytes += answer_bytes(*c.record);
  return bytes;
}

std::uint64_t answer_bytes(const past_version& v) {
  std::uint64_t bytes = held_bytes(v.version);
  for (const auto& c : v.changes)
    bytes += sizeof(c) + c.field.size() + held_bytes(c.before) + held_bytes(c.after);
  return bytes;
}

std::uint64_t answer_bytes(const edge_record& e) {
  return sizeof(e) + e.created_by.size() + e.data.size() + e.kind.size()
         + e.tombstoned_reason.size() + e.tombstoned_by.size();
}

std::uint64_t answer_bytes(const topic_field_view& f) {
  std::uint64_t bytes = sizeof(f) + f.field.head.name.size();
  if (f.current) bytes += bytes_of(*f.current);
  for (const auto& r : f.history) bytes += bytes_of(r);
  return bytes;
}

std::uint64_t answer_bytes(const topic_event& e) {
  return sizeof(e) + e.reason.size() + e.field.size();
}

std::uint64_t answer_bytes(const topic_bundle& b) {
  std::uint64_t bytes = sizeof(b) + b.title.size() + b.summary.size() + b.topic_kind.size();
  if (b.neighbours)
    for (const auto& n : *b.neighbours) bytes += sizeof(n) + n.title.size() + n.kind.size();
  if (b.fields) bytes += answer_bytes(*b.fields);
  return bytes + bytes_of_erased(b.erased_fields);
}

std::uint64_t answer_bytes(const search_hit& h) {
  std::uint64_t bytes = sizeof(h) + h.path.size() + h.title.size() + h.content.size()
                        + h.field.size() + h.project.size() + held_bytes(h.tags)
                        + held_bytes(h.metadata) + held_bytes(h.rendered);
  if (h.lineage) bytes += bytes_of(h.lineage->ancestors) + bytes_of(h.lineage->descendants);
  return bytes;
}

std::uint64_t answer_bytes(const chroma_row& r) {
  return sizeof(r) + answer_bytes(r.memory) + r.label.size();
}

std::uint64_t answer_bytes(const memory_reading& r) {
  return answer_bytes(r.found) + (r.fields ? answer_bytes(*r.fields) : 0)
         + (r.events ? answer_bytes(*r.events) : 0) + (r.raw ? r.raw->size() : 0)
         + bytes_of_erased(r.erased_fields);
}

std::uint64_t answer_bytes(const context_item& i) {
  return sizeof(i) + i.text.size();
}

std::uint64_t answer_bytes(const find_result& r) {
  return answer_bytes(r.memories) + held_bytes(r.rendered);
}

std::uint64_t answer_bytes(const search_result& r) {
  return answer_bytes(r.results) + r.query.size();
}

std::uint64_t answer_bytes(const retrieve_result& r) {
  return answer_bytes(r.candidates) + r.summary_text.size();
}

std::uint64_t answer_bytes(const chroma_result& r) {
  return answer_bytes(r.rows);
}

std::uint64_t answer_bytes(const context_result& r) {
  return answer_bytes(r.pinned) + answer_bytes(r.outcomes) + answer_bytes(r.frame_relevant);
}

} // namespace mneme
