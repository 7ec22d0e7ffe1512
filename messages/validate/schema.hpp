#pragma once
/// The closed schema of the fifteen memory types: which data fields each has, of what kind, which
/// are required, and which names an enum field admits. Validation, codec, predicates, JSON and
/// help all read this one table.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "mneme/types.hpp"

namespace mneme {

enum class field_kind : std::uint8_t { text, integer, real, boolean, time, id, text_list, name };

/// One data field. `number` is its key in the canonical encoding: stored, append-only.
struct field_schema {
  std::string_view name;
  std::uint8_t number = 0;
  field_kind kind{};
  bool required = false;                     ///< must be present and non-blank
  bool unit_interval = false;                ///< real in [0,1]
  std::span<const std::string_view> names{}; ///< of an enum field (kind name)
  /// Used when the field is neither required nor optional and was left out; nullopt = none. Of a
  /// time it is "created_at".
  std::optional<std::string_view> default_text{};
};

/// Fields of `type`, in the order of their numbers.
std::span<const field_schema> fields_of(memory_type type) noexcept;
/// The field of that name, or nullptr.
const field_schema* find_field(memory_type type, std::string_view name) noexcept;

} // namespace mneme
