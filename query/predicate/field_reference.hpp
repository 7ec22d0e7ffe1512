#pragma once
/// References of predicates to fields: head.*, version.*, data.*, meta.*. Which kinds a field has
/// is static: from the fixed tables of head and version, and for data from the schema of the types
/// asked.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "mneme/types.hpp"

namespace mneme {

/// Set of memory types: bit (1 << type byte).
using type_set = std::uint16_t;
constexpr type_set all_memory_types = 0xFFFE;
constexpr type_set type_bit(memory_type type) noexcept {
  return static_cast<type_set>(1U << static_cast<unsigned>(type));
}

/// What two values must share to be comparable. Enums compare as text.
enum class value_kind : std::uint8_t {
  none = 0,
  number = 1,
  text = 2,
  boolean = 4,
  time = 8,
  id = 16,
};
/// Bits of value_kind.
using kind_set = std::uint8_t;
constexpr kind_set kind_bit(value_kind kind) noexcept {
  return static_cast<kind_set>(kind);
}

enum class field_name : std::uint8_t {
  unknown, ///< well-formed, but a scalar field of none of the types asked
  head_id,
  head_type,
  head_current_version,
  head_actor_scope,
  head_visibility,
  head_declared_importance,
  head_tombstoned,
  head_created_at,
  head_last_updated_at,
  head_namespace,
  head_key,
  version_number,
  version_created_at,
  version_created_by,
  version_expires_at,
  version_confidence,
  version_provenance_source,
  version_signed_by_present,
  version_valid_from,
  version_valid_until,
  data,
  meta,
};

struct field_reference {
  field_name name = field_name::unknown;
  std::string key;    ///< of data and meta: what follows the first dot
  kind_set kinds = 0; ///< over the types asked; every kind but time and id for meta
  /// For data: the kind that the field has in each memory type (by type byte).
  std::array<value_kind, memory_type_count + 1> kind_by_type{};
};

/// Resolves `text` over the types asked. bad_field for a malformed reference or an unknown
/// namespace; a name that is no field there resolves to field_name::unknown.
result<field_reference> resolve_field(std::string_view text, type_set types);

/// True if some memory type has `text` as a time field (for the canonical text of literals).
bool is_time_field(std::string_view text);

} // namespace mneme
