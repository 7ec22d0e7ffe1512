#pragma once
/// Names in one spelling: an "é" is one, whether it came as one code point or as two.

#include <string>
#include <string_view>

namespace mneme {

/// Canonical composition (NFC). What is not UTF-8 comes back as it is.
std::string composed(std::string text);

/// Why a text is no name: it is blank, or has control characters or line breaks in it. Empty if it
/// may be one; so is that of the empty text, which is for the caller to judge. Precondition: UTF-8.
std::string_view name_fault(std::string_view text) noexcept;

} // namespace mneme
