#pragma once
/// The words of a question as rules about it see them: no stems, and nothing is left out.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mneme {

/// Rules look at so many words of a question at most.
inline constexpr std::size_t most_asked_words = 1000;

/// Runs of letters, digits and `_`, ASCII letters in lower case. What is not ASCII counts as
/// letters, but for quotes, dashes and spaces.
std::vector<std::string> asked_words(std::string_view text);

/// Begins the word with a capital letter?
bool begins_large(std::string_view word);

/// An English question without what an apostrophe joins to its words ('s, 't, 'd, 'm, 'll, 've,
/// 're): "Valentine's day" asks for nothing that "it's" says.
std::string without_contractions(std::string_view question);

} // namespace mneme
