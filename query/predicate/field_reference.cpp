#include "query/predicate/field_reference.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "messages/validate/schema.hpp"

namespace mneme {

namespace {

struct fixed_field {
  std::string_view text;
  field_name name;
  value_kind kind;
};

constexpr fixed_field fixed_fields[] = {
    {"head.id", field_name::head_id, value_kind::id},
    {"head.type", field_name::head_type, value_kind::text},
    {"head.current_version", field_name::head_current_version, value_kind::number},
    {"head.actor_scope", field_name::head_actor_scope, value_kind::text},
    {"head.visibility", field_name::head_visibility, value_kind::text},
    {"head.declared_importance", field_name::head_declared_importance, value_kind::number},
    {"head.tombstoned", field_name::head_tombstoned, value_kind::boolean},
    {"head.created_at", field_name::head_created_at, value_kind::time},
    {"head.last_updated_at", field_name::head_last_updated_at, value_kind::time},
    {"head.namespace", field_name::head_namespace, value_kind::text},
    {"head.key", field_name::head_key, value_kind::text},
    {"version.version", field_name::version_number, value_kind::number},
    {"version.created_at", field_name::version_created_at, value_kind::time},
    {"version.created_by", field_name::version_created_by, value_kind::text},
    {"version.expires_at", field_name::version_expires_at, value_kind::time},
    {"version.confidence", field_name::version_confidence, value_kind::number},
    {"version.provenance.source", field_name::version_provenance_source, value_kind::text},
    {"version.provenance_kind", field_name::version_provenance_source, value_kind::text},
    {"version.provenance.signed_by_present", field_name::version_signed_by_present,
     value_kind::boolean},
    {"version.valid_from", field_name::version_valid_from, value_kind::time},
    {"version.valid_until", field_name::version_valid_until, value_kind::time},
};

value_kind kind_of(field_kind kind) {
  switch (kind) {
  case field_kind::text:
  case field_kind::name:
    return value_kind::text;
  case field_kind::integer:
  case field_kind::real:
    return value_kind::number;
  case field_kind::boolean:
    return value_kind::boolean;
  case field_kind::time:
    return value_kind::time;
  case field_kind::id:
    return value_kind::id;
  case field_kind::text_list:
    return value_kind::none;
  }
  return value_kind::none;
}

/// Dotted names of letters, digits and underscores, no part empty.
bool is_dotted_name(std::string_view text) {
  bool part_open = false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (c == '.') {
      if (!part_open) return false;
      part_open = false;
    } else if (letter || digit) {
      part_open = true;
    } else {
      return false;
    }
  }
  return part_open;
}

field_reference resolve_data(std::string_view key, type_set types) {
  field_reference field;
  for (std::uint8_t byte = 1; byte <= memory_type_count; ++byte) {
    const auto type = static_cast<memory_type>(byte);
    if ((types & type_bit(type)) == 0) continue;
    const field_schema* schema = find_field(type, key);
    if (schema == nullptr) continue;
    const value_kind kind = kind_of(schema->kind);
    field.kind_by_type[byte] = kind;
    field.kinds = static_cast<kind_set>(field.kinds | kind_bit(kind));
  }
  if (field.kinds != 0) {
    field.name = field_name::data;
    field.key = key;
  }
  return field;
}

} // namespace

result<field_reference> resolve_field(std::string_view text, type_set types) {
  const auto dot = text.find('.');
  const auto space = text.substr(0, dot);
  const bool dotted = dot != std::string_view::npos && dot + 1 < text.size();
  if (dotted && space == "meta") {
    field_reference field;
    field.name = field_name::meta;
    field.key = text.substr(dot + 1);
    field.kinds =
        kind_bit(value_kind::number) | kind_bit(value_kind::text) | kind_bit(value_kind::boolean);
    return field;
  }
  if (!dotted || !is_dotted_name(text.substr(dot + 1)))
    return fail(errc::bad_field, fmt::format("not a field reference: \"{}\"", text));
  if (space == "data") return resolve_data(text.substr(dot + 1), types);
  if (space != "head" && space != "version")
    return fail(errc::bad_field, fmt::format("unknown namespace in \"{}\": fields are head.*, "
                                             "version.*, data.* or meta.*",
                                             text));
  field_reference field;
  const auto* found = std::ranges::find(fixed_fields, text, &fixed_field::text);
  if (found != std::end(fixed_fields)) {
    field.name = found->name;
    field.kinds = kind_bit(found->kind);
  }
  return field;
}

bool is_time_field(std::string_view text) {
  const auto field = resolve_field(text, all_memory_types);
  return field && (field->kinds & kind_bit(value_kind::time)) != 0;
}

} // namespace mneme
