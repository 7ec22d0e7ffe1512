#pragma once
/// Assertions that stay on in release. A broken invariant ends the process: the state behind a
/// published root must never be wrong and go on.

#include <source_location>
#include <string_view>

namespace mneme {

/// Prints the text and the place to stderr and aborts.
[[noreturn]] void ensure_failed(std::string_view text, const std::source_location& where);

/// Aborts with `text` unless `condition` holds.
inline void ensure(bool condition, std::string_view text,
                   const std::source_location& where = std::source_location::current()) {
  if (!condition) [[unlikely]]
    ensure_failed(text, where);
}

} // namespace mneme
