#pragma once
/// Names in one spelling: an "é" is one, whether it came as one code point or as two.

#include <span>
#include <string>
#include <string_view>

namespace mneme {

/// Canonical composition (NFC). What is not UTF-8 comes back as it is.
std::string composed(std::string text);
/// Canonical decomposition (NFD), likewise.
std::string decomposed(std::string text);

/// Is `name` one of these, in whatever spelling they are? Precondition: `name` is composed.
bool is_among(std::span<const std::string> names, std::string_view name);

/// Why a text is no name: it is blank, or has control characters or line breaks in it. Empty if it
/// may be one; so is that of the empty text, which is for the caller to judge. Precondition: UTF-8.
std::string_view name_fault(std::string_view text) noexcept;

} // namespace mneme
