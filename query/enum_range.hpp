#pragma once
/// Enumerations as a caller in C++ can give them: with any value.

#include <cstdint>

namespace mneme {

/// Whether the value is one of those up to `last`, which count from 0.
template <class Enum>
bool in_enum(Enum value, Enum last) noexcept {
  return static_cast<std::uint8_t>(value) <= static_cast<std::uint8_t>(last);
}

} // namespace mneme
