#pragma once
/// Texts that people call the same.

#include <string>
#include <string_view>

namespace mneme {

/// Without case, compatibility forms, accents of Latin, Greek and Cyrillic, and spaces but single
/// ones between words: of texts that differ in these alone it is the same. Precondition: UTF-8.
std::string folded_text(std::string_view text);

} // namespace mneme
