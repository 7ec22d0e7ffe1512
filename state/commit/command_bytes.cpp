// What a command keeps in memory while it waits. Only what a request can make large is counted
// exactly.

#include "messages/held_bytes.hpp"
#include "state/commit/commands.hpp"

namespace mneme {

namespace {

using mneme::held_bytes; // beside those below

// -- mutations ------------------------------------------------------------------------------------

std::uint64_t held_bytes(const write_request& r) {
  return held_bytes(r.data) + held_bytes(r.tags) + held_bytes(r.frames) + held_bytes(r.metadata)
         + held_bytes(r.forms) + held_bytes(r.provenance) + held_bytes(r.vector)
         + held_bytes(r.hashtags) + r.actor.size() + held_bytes(r.created_by)
         + r.supersedes.size() * sizeof(memory_uri) + r.payload.size();
}
std::uint64_t held_bytes(const put_request& r) {
  return held_bytes(r.content) + r.key.name_space.size() + r.key.name.size();
}
std::uint64_t held_bytes(const delete_by_request& r) {
  return r.key.name_space.size() + r.key.name.size() + r.reason.size() + r.actor.size()
         + held_bytes(r.by);
}
std::uint64_t held_bytes(const sweep_request& r) {
  return r.actor.size() + held_bytes(r.by) + held_bytes(r.reason);
}
std::uint64_t held_bytes(const update_request& r) {
  return held_bytes(r.data) + held_bytes(r.forms) + held_bytes(r.provenance) + held_bytes(r.vector)
         + r.actor.size() + held_bytes(r.created_by) + r.payload.size()
         + (r.replace ? r.replace->from.size() + r.replace->to.size() + r.replace->field.size()
                      : 0);
}
std::uint64_t held_bytes(const update_head_request& r) {
  return held_bytes(r.tags) + held_bytes(r.frames) + held_bytes(r.metadata) + r.actor.size()
         + held_bytes(r.by);
}
std::uint64_t held_bytes(const tombstone_request& r) {
  return r.reason.size() + r.actor.size() + held_bytes(r.by);
}
std::uint64_t held_bytes(const restore_request& r) {
  return r.actor.size() + held_bytes(r.by);
}
std::uint64_t held_bytes(const add_edge_request& r) {
  return r.kind.size() + r.data.size() + r.actor.size() + held_bytes(r.by);
}
std::uint64_t held_bytes(const remove_edge_request& r) {
  return r.reason.size() + r.actor.size() + held_bytes(r.by);
}
std::uint64_t held_bytes(const put_record_request& r) {
  return held_bytes(r.head.tags) + held_bytes(r.head.frames) + held_bytes(r.head.metadata)
         + r.head.actor_scope.size() + (r.head.colour ? held_bytes(r.head.colour->hashtags) : 0)
         + (r.head.tombstone ? r.head.tombstone->reason.size() + r.head.tombstone->by.size() : 0)
         + held_bytes(r.version.data) + r.version.created_by.size()
         + held_bytes(r.version.provenance) + r.version.forms.short_form.size()
         + r.version.forms.medium_form.size() + r.version.payload.size() + held_bytes(r.vector);
}
std::uint64_t held_bytes(const put_edge_record_request& r) {
  return r.edge.kind.size() + r.edge.data.size() + r.edge.created_by.size()
         + r.edge.tombstoned_reason.size() + r.edge.tombstoned_by.size();
}
std::uint64_t held_bytes(const ingest_request& r) {
  std::uint64_t bytes = held_bytes(r.title) + held_bytes(r.summary) + held_bytes(r.vector)
                        + held_bytes(r.topic_kind) + r.actor.size() + held_bytes(r.created_by);
  for (const auto& f : r.fields)
    bytes += sizeof(f) + f.name.size() + held_bytes(f.value) + f.why_changed.size()
             + f.impact_expected.size() + f.operation.size() + held_bytes(f.provenance);
  for (const auto& l : r.links) bytes += sizeof(l) + l.kind.size();
  return bytes;
}
std::uint64_t held_bytes(const put_field_record_request& r) {
  std::uint64_t bytes = 0;
  for (const auto& f : r.revisions)
    bytes += sizeof(f) + f.field.size() + held_bytes(f.value) + f.why_changed.size()
             + f.impact_expected.size() + f.operation.size() + held_bytes(f.provenance)
             + f.created_by.size();
  return bytes;
}
std::uint64_t held_bytes(const assign_tag_request& r) {
  return r.tag.size() + r.actor.size();
}
std::uint64_t held_bytes(const set_weights_request& r) {
  return (r.weights ? r.weights->size() : 0) + r.actor.size();
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
  return sizeof(r) + r.intent_id.size() + r.reason.size() + held_bytes(r.cited) + r.actor.size()
         + held_bytes(r.scope);
}
std::uint64_t held_bytes(const compact_request& r) {
  return sizeof(r) + held_bytes(r.in_context) + held_bytes(r.load_bearing) + r.intent_id.size()
         + r.step_id.size() + r.actor.size() + held_bytes(r.scope);
}
std::uint64_t of_touch(const entry_payload& touched) {
  std::uint64_t bytes = sizeof(touched);
  if (const auto* late = std::get_if<find_late_payload>(&touched))
    bytes += late->predicate.size() + late->types.size() * sizeof(memory_type)
             + held_bytes(late->tags) + held_bytes(late->accessed) + late->actor.size();
  if (const auto* r = std::get_if<reinforce_payload>(&touched))
    bytes += r->items.size() * sizeof(r->items.front()) + r->actor.size();
  if (const auto* v = std::get_if<scope_violation_payload>(&touched))
    bytes += v->grantee.size() + v->granter.size() + v->actor.size() + v->target.size();
  return bytes;
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
  std::uint64_t bytes = of_all(c.ahead) + held_bytes(c.in_sight_of) + held_bytes(c.scope);
  for (const auto& item : c.items) bytes += of_mutation(item);
  return bytes;
}
std::uint64_t of_command(const promote_command& c) {
  return c.request.actor.size() + held_bytes(c.in_sight_of);
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
  for (const auto& t : c.touches) bytes += t.actor.size() + of_touch(t.payload);
  for (const auto& w : c.all_writes()) bytes += bytes_of(w);
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
std::uint64_t of_command(const snapshot_command& c) {
  return c.reason.size() + c.actor.size();
}
std::uint64_t of_command(const decay_command& c) {
  return c.actor.size();
}
std::uint64_t of_command(const erase_command& c) {
  const erase_request& r = c.request;
  return r.ids.size() * sizeof(memory_id) + r.reason.size() + r.by.size()
         + (r.owned_by ? r.owned_by->size() : 0) + (r.source ? r.source->size() : 0);
}
std::uint64_t of_command(const trim_command& c) {
  const trim_payload& p = c.payload;
  std::uint64_t versions = 0;
  for (const dropped_versions& d : p.versions)
    versions += sizeof(d) + d.ranges.size() * sizeof(version_range);
  return p.dropped.size() + p.used.size() * sizeof(carried_use)
         + p.coloured.size() * sizeof(carried_signals) + p.reason.size() + p.actor.size()
         + versions;
}
std::uint64_t of_command(const checkpoint_command&) {
  return 0;
}
std::uint64_t of_command(const follow_command& c) {
  return c.next ? c.next->frame->head.size() + c.next->frame->payloads.size() : 0;
}
std::uint64_t of_command(const lead_command&) {
  return 0;
}
std::uint64_t of_command(const yield_command&) {
  return 0;
}
std::uint64_t of_command(const halt_command& c) {
  return c.why.message.size();
}

} // namespace

std::uint64_t bytes_of(const mutation& m) {
  return of_mutation(m);
}

std::uint64_t bytes_of(const tick_write& w) {
  if (const auto* m = std::get_if<scoped_mutation>(&w))
    return of_mutation(m->request) + held_bytes(m->scope);
  if (const auto* r = std::get_if<attest_request>(&w)) return held_bytes(*r);
  return held_bytes(std::get<compact_request>(w));
}

std::uint64_t bytes_of(const commit_command& c) {
  return sizeof(c) + std::visit([](const auto& of) { return of_command(of); }, c);
}

} // namespace mneme
