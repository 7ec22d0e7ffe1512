#pragma once
/// The words of a question as rules about it see them: no stems, and nothing is left out.

#include <string>
#include <string_view>
#include <vector>

namespace mneme {

/// Runs of letters, digits and `_`, ASCII letters in lower case. What is not ASCII counts as
/// letters.
std::vector<std::string> asked_words(std::string_view text);

} // namespace mneme
