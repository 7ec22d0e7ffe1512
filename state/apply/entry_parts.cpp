#include "state/apply/entry_parts.hpp"

namespace mneme {

const head* head_of(const entry_payload& payload) {
  if (const auto* w = std::get_if<write_payload>(&payload)) return &w->head;
  if (const auto* u = std::get_if<update_payload>(&payload)) return &u->head;
  if (const auto* h = std::get_if<head_payload>(&payload)) return &h->head;
  if (const auto* e = std::get_if<embed_payload>(&payload)) return &e->head;
  if (const auto* a = std::get_if<topic_archive_payload>(&payload)) return &a->head;
  if (const auto* m = std::get_if<topic_merge_payload>(&payload)) return &m->head;
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

std::string_view data_text(const version& v, std::string_view name) {
  const auto field = v.data.find(name);
  const auto* text = field == v.data.end() ? nullptr : std::get_if<std::string>(&field->second);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

} // namespace mneme
