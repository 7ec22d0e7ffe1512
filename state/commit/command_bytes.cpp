// What a waiting command keeps in memory. Only what a request can make large is counted exactly.

#include "messages/held_bytes.hpp"
#include "state/commit/commands.hpp"

namespace mneme {

namespace {

using mneme::held_bytes; // beside those below

// -- mutations ------------------------------------------------------------------------------------

std::uint64_t held_bytes(const write_request& r) {
  return held_bytes(r.data) + held_bytes(r.tags) + held_bytes(r.frames) + held_bytes(r.metadata)
         + held_bytes(r.forms) + held_bytes(r.provenance) + held_bytes(r.vector)
         + held_bytes(r.hashtags) + r.actor.size();
}
std::uint64_t held_bytes(const update_request& r) {
  return held_bytes(r.data) + held_bytes(r.forms) + held_bytes(r.provenance) + held_bytes(r.vector)
         + r.actor.size();
}
std::uint64_t held_bytes(const update_head_request& r) {
  return held_bytes(r.tags) + held_bytes(r.frames) + held_bytes(r.metadata) + r.actor.size();
}
std::uint64_t held_bytes(const tombstone_request& r) {
  return r.reason.size() + r.actor.size();
}
std::uint64_t held_bytes(const add_edge_request& r) {
  return r.kind.size() + r.data.size() + r.actor.size();
}
std::uint64_t held_bytes(const remove_edge_request& r) {
  return r.reason.size() + r.actor.size();
}
std::uint64_t held_bytes(const restore_request& r) {
  return held_bytes(r.head.tags) + held_bytes(r.head.frames) + held_bytes(r.head.metadata)
         + held_bytes(r.version.data) + held_bytes(r.version.provenance)
         + r.version.forms.short_form.size() + r.version.forms.medium_form.size()
         + held_bytes(r.vector);
}
std::uint64_t held_bytes(const restore_edge_request& r) {
  return r.edge.kind.size() + r.edge.data.size();
}
std::uint64_t held_bytes(const ingest_request& r) {
  std::uint64_t bytes = held_bytes(r.title) + held_bytes(r.summary) + held_bytes(r.vector)
                        + r.links.size() * sizeof(topic_link) + r.actor.size();
  for (const auto& f : r.fields)
    bytes += sizeof(f) + f.name.size() + held_bytes(f.value) + f.why_changed.size()
             + f.impact_expected.size() + held_bytes(f.provenance);
  return bytes;
}
std::uint64_t held_bytes(const restore_field_request& r) {
  std::uint64_t bytes = 0;
  for (const auto& f : r.revisions)
    bytes += sizeof(f) + held_bytes(f.value) + f.why_changed.size() + f.impact_expected.size()
             + held_bytes(f.provenance);
  return bytes;
}
std::uint64_t held_bytes(const assign_tag_request& r) {
  return r.tag.size() + r.actor.size();
}
std::uint64_t held_bytes(const revise_request& r) {
  return r.actor.size();
}
std::uint64_t held_bytes(const forget_request& r) {
  return r.actor.size();
}
std::uint64_t held_bytes(const unarchive_request& r) {
  return r.actor.size();
}

std::uint64_t of_mutation(const mutation& m) {
  return sizeof(m) + std::visit([](const auto& r) { return held_bytes(r); }, m);
}

// -- commands -------------------------------------------------------------------------------------

std::uint64_t held_bytes(const attest_request& r) {
  return sizeof(r) + r.reason.size() + held_bytes(r.cited);
}
std::uint64_t held_bytes(const compact_request& r) {
  return sizeof(r) + held_bytes(r.in_context) + held_bytes(r.load_bearing);
}
std::uint64_t of_touch(const entry_payload& touched) {
  std::uint64_t bytes = sizeof(touched);
  if (const auto* late = std::get_if<find_late_payload>(&touched))
    bytes += late->predicate.size() + late->accessed.size() * sizeof(memory_id);
  if (const auto* r = std::get_if<reinforce_payload>(&touched))
    bytes += r->items.size() * sizeof(r->items.front());
  return bytes;
}
std::uint64_t of_write(const tick_write& w) {
  if (const auto* m = std::get_if<scoped_mutation>(&w)) return of_mutation(m->request);
  if (const auto* r = std::get_if<attest_request>(&w)) return held_bytes(*r);
  return held_bytes(std::get<compact_request>(w));
}

std::uint64_t of_all(const std::vector<prepared_ahead>& all) {
  std::uint64_t bytes = 0;
  for (const auto& one : all) {
    bytes += sizeof(one);
    if (one.forms && *one.forms)
      bytes += (*one.forms)->short_form.size() + (*one.forms)->medium_form.size();
    if (one.vector && *one.vector) bytes += (*one.vector)->size() * sizeof(float);
  }
  return bytes;
}

std::uint64_t of_command(const mutate_command& c) {
  std::uint64_t bytes = of_all(c.ahead) + held_bytes(c.in_sight_of);
  for (const auto& item : c.items) bytes += of_mutation(item);
  return bytes;
}
std::uint64_t of_command(const touch_command& c) {
  return of_touch(c.payload);
}
std::uint64_t of_command(const late_touch_command& c) {
  return c.payload.items.size() * sizeof(c.payload.items.front());
}
std::uint64_t of_command(const attest_command& c) {
  return held_bytes(c.request);
}
std::uint64_t of_command(const compact_command& c) {
  return held_bytes(c.request);
}
std::uint64_t of_command(const tick_command& c) {
  std::uint64_t bytes = of_all(c.ahead) + held_bytes(c.in_sight_of);
  for (const auto& t : c.touches) bytes += of_touch(t.payload);
  for (const auto& w : c.writes) bytes += of_write(w);
  return bytes;
}
std::uint64_t of_command(const embed_command& c) {
  std::uint64_t bytes = 0;
  for (const auto& item : c.items) bytes += sizeof(item) + item.values.size() * sizeof(float);
  return bytes;
}
std::uint64_t of_command(const inspect_command& c) {
  return c.bytes;
}
template <class Small>
std::uint64_t of_command(const Small&) {
  return 0; // a few names
}

} // namespace

std::uint64_t bytes_of(const commit_command& c) {
  return sizeof(c) + std::visit([](const auto& of) { return of_command(of); }, c);
}

} // namespace mneme
