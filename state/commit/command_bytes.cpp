// What a waiting command keeps in memory. Only what a request can make large is counted exactly.

#include <type_traits>

#include "state/commit/commands.hpp"

namespace mneme {

namespace {

// Declared first: each may hold the others.
std::uint64_t held(const json_value& v);
template <class T>
std::uint64_t held(const std::optional<T>& value);
template <class T>
std::uint64_t held(const std::vector<T>& values);
template <class Value>
std::uint64_t held(const std::map<std::string, Value, std::less<>>& values);
template <class... Kinds>
std::uint64_t held(const std::variant<Kinds...>& value);

std::uint64_t held(const std::string& text) {
  return sizeof(std::string) + text.size();
}
std::uint64_t held(const intent_frame& f) {
  return sizeof(f) + f.ref.size();
}
std::uint64_t held(const memory_id& id) {
  return sizeof(id);
}
std::uint64_t held(const timestamp& t) {
  return sizeof(t);
}
template <class Number>
  requires std::is_arithmetic_v<Number>
std::uint64_t held(const Number& n) {
  return sizeof(n);
}
std::uint64_t held(std::monostate) {
  return 0;
}
std::uint64_t held(const json_member& m) {
  return held(m.name) + held(m.value);
}
std::uint64_t held(const json_value& v) {
  return sizeof(v) + held(v.node);
}
std::uint64_t held(const mneme::provenance& p) {
  return held(p.derived_from) + held(p.attestations) + p.signed_by.size() + p.signature.size();
}
std::uint64_t held(const forms_override& f) {
  return held(f.short_form) + held(f.medium_form);
}
template <class T>
std::uint64_t held(const std::optional<T>& value) {
  return value ? held(*value) : 0;
}
template <class T>
std::uint64_t held(const std::vector<T>& values) {
  if constexpr (std::is_arithmetic_v<T>) return values.size() * sizeof(T);
  std::uint64_t bytes = 0;
  for (const auto& v : values) bytes += held(v);
  return bytes;
}
template <class Value>
std::uint64_t held(const std::map<std::string, Value, std::less<>>& values) {
  std::uint64_t bytes = 0;
  for (const auto& [key, value] : values) bytes += held(key) + held(value);
  return bytes;
}
template <class... Kinds>
std::uint64_t held(const std::variant<Kinds...>& value) {
  return std::visit([](const auto& v) { return held(v); }, value);
}

// -- mutations ------------------------------------------------------------------------------------

std::uint64_t held(const write_request& r) {
  return held(r.data) + held(r.tags) + held(r.frames) + held(r.metadata) + held(r.forms)
         + held(r.provenance) + held(r.vector) + held(r.hashtags) + r.actor.size();
}
std::uint64_t held(const update_request& r) {
  return held(r.data) + held(r.forms) + held(r.provenance) + held(r.vector) + r.actor.size();
}
std::uint64_t held(const update_head_request& r) {
  return held(r.tags) + held(r.frames) + held(r.metadata) + r.actor.size();
}
std::uint64_t held(const tombstone_request& r) {
  return r.reason.size() + r.actor.size();
}
std::uint64_t held(const add_edge_request& r) {
  return r.kind.size() + r.data.size() + r.actor.size();
}
std::uint64_t held(const remove_edge_request& r) {
  return r.reason.size() + r.actor.size();
}
std::uint64_t held(const restore_request& r) {
  return held(r.head.tags) + held(r.head.frames) + held(r.head.metadata) + held(r.version.data)
         + held(r.version.provenance) + r.version.forms.short_form.size()
         + r.version.forms.medium_form.size() + held(r.vector);
}
std::uint64_t held(const restore_edge_request& r) {
  return r.edge.kind.size() + r.edge.data.size();
}
std::uint64_t held(const ingest_request& r) {
  std::uint64_t bytes = held(r.title) + held(r.summary) + held(r.vector)
                        + r.links.size() * sizeof(topic_link) + r.actor.size();
  for (const auto& f : r.fields)
    bytes += sizeof(f) + f.name.size() + held(f.value) + f.why_changed.size()
             + f.impact_expected.size() + held(f.provenance);
  return bytes;
}
std::uint64_t held(const restore_field_request& r) {
  std::uint64_t bytes = 0;
  for (const auto& f : r.revisions)
    bytes += sizeof(f) + held(f.value) + f.why_changed.size() + f.impact_expected.size()
             + held(f.provenance);
  return bytes;
}
std::uint64_t held(const assign_tag_request& r) {
  return r.tag.size() + r.actor.size();
}
std::uint64_t held(const revise_request& r) {
  return r.actor.size();
}
std::uint64_t held(const forget_request& r) {
  return r.actor.size();
}
std::uint64_t held(const unarchive_request& r) {
  return r.actor.size();
}

std::uint64_t of_mutation(const mutation& m) {
  return sizeof(m) + std::visit([](const auto& r) { return held(r); }, m);
}

// -- commands -------------------------------------------------------------------------------------

std::uint64_t held(const attest_request& r) {
  return sizeof(r) + r.reason.size() + held(r.cited);
}
std::uint64_t held(const compact_request& r) {
  return sizeof(r) + held(r.in_context) + held(r.load_bearing);
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
  if (const auto* r = std::get_if<attest_request>(&w)) return held(*r);
  return held(std::get<compact_request>(w));
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
  std::uint64_t bytes = of_all(c.ahead);
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
  return held(c.request);
}
std::uint64_t of_command(const compact_command& c) {
  return held(c.request);
}
std::uint64_t of_command(const tick_command& c) {
  std::uint64_t bytes = of_all(c.ahead);
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
