#include "state/apply/entry_parts.hpp"

#include <algorithm>

namespace mneme {

const head* head_of(const entry_payload& payload) {
  if (const auto* w = std::get_if<write_payload>(&payload)) return &w->head;
  if (const auto* u = std::get_if<update_payload>(&payload)) return &u->head;
  if (const auto* h = std::get_if<head_payload>(&payload)) return &h->head;
  if (const auto* e = std::get_if<embed_payload>(&payload)) return &e->head;
  if (const auto* a = std::get_if<topic_archive_payload>(&payload)) return &a->head;
  if (const auto* m = std::get_if<topic_merge_payload>(&payload)) return &m->head;
  if (const auto* e = std::get_if<erase_payload>(&payload)) return e->head ? &*e->head : nullptr;
  return nullptr;
}

const edge_record* edge_of(const entry_payload& payload) {
  if (const auto* e = std::get_if<edge_payload>(&payload)) return &e->edge;
  if (const auto* e = std::get_if<erase_payload>(&payload)) return e->edge ? &*e->edge : nullptr;
  return nullptr;
}

const version* version_of(const entry_payload& payload) {
  if (const auto* w = std::get_if<write_payload>(&payload)) return &w->version;
  if (const auto* u = std::get_if<update_payload>(&payload)) return &u->version;
  return nullptr;
}

const spaced_vector* vector_of(const entry_payload& payload) {
  const std::optional<spaced_vector>* v = nullptr;
  if (const auto* e = std::get_if<embed_payload>(&payload)) v = &e->vector;
  if (const auto* w = std::get_if<write_payload>(&payload)) v = &w->vector;
  if (const auto* u = std::get_if<update_payload>(&payload)) v = &u->vector;
  return v != nullptr && v->has_value() ? &**v : nullptr;
}

std::string_view reference_field(memory_type type) {
  if (type == memory_type::decision) return "replaces";
  if (type == memory_type::chunk) return "promoted_to";
  return {};
}

const memory_id* reference_in(memory_type type, const memory_data& data) {
  const auto field = data.find(reference_field(type));
  return field == data.end() ? nullptr : std::get_if<memory_id>(&field->second);
}

const memory_id* reference_of(const version& v) {
  return reference_in(v.type, v.data);
}

const memory_id* successor_of(const head* h) {
  if (h == nullptr || !h->tombstone || !h->tombstone->superseded_by) return nullptr;
  return &*h->tombstone->superseded_by;
}

bool is_past(const head& h) {
  return !h.erased && h.tombstone && h.tombstone->cause == tombstone_cause::superseded;
}

bool came_with(const std::optional<edge_record>& edge, const tombstone& by) {
  return edge && !edge->tombstoned && edge->created_at == by.at && edge->created_by == by.by;
}

namespace {

void add_source(std::vector<memory_id>& found, std::string_view text) {
  if (const auto id = parse_memory_id(text)) {
    found.push_back(*id);
  } else if (const auto uri = parse_memory_uri(text)) {
    found.push_back(uri->id);
  }
}

void add_sources(std::vector<memory_id>& found, const version& v, std::string_view field) {
  const auto named = v.data.find(field);
  if (named == v.data.end()) return;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&named->second))
    for (const std::string& text : *texts) add_source(found, text);
}

} // namespace

std::vector<memory_id> sources_of(const version& v) {
  std::vector<memory_id> found;
  for (const std::string& uri : v.provenance.derived_from) add_source(found, uri);
  if (v.type == memory_type::pattern) add_sources(found, v, "derived_from");
  if (v.type == memory_type::belief) {
    add_sources(found, v, "evidence_for");
    add_sources(found, v, "evidence_against");
  }
  std::erase_if(found, [&](const memory_id& id) { return id == v.id || id.is_zero(); });
  std::ranges::sort(found);
  const auto again = std::ranges::unique(found);
  found.erase(again.begin(), again.end());
  return found;
}

std::string_view data_text(const version& v, std::string_view name) {
  const auto field = v.data.find(name);
  const auto* text = field == v.data.end() ? nullptr : std::get_if<std::string>(&field->second);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

} // namespace mneme
