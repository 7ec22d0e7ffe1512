#pragma once
/// What tests do less of under AddressSanitizer, where all of it would take minutes. `scripts/test`
/// does all of it.

#include <cstdint>

namespace mneme::testing {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#else
inline constexpr bool is_sanitized = false;
#endif

/// Work is broken off at each operation of its disk, or at each fifth one.
inline constexpr std::uint64_t operations_apart = is_sanitized ? 5 : 1;

} // namespace mneme::testing
