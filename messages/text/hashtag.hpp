#pragma once
/// Hashtags as text: one normal form, so that the same set of tags always gives the same bits.

#include <string>
#include <string_view>
#include <vector>

namespace mneme {

inline constexpr std::size_t max_hashtags = 64;

/// White space at both ends cut, lower case, NFC. Precondition: UTF-8.
std::string normalise_hashtag(std::string_view tag);

/// What tells tags apart: the normal form without a leading `#`, so that `#tea` and `tea` are one.
std::string_view hashtag_key(std::string_view normalised);

/// The words of a text that may be hashtags, in order, with repetitions: punctuation is cut off at
/// both ends, but for `+` and `#` at the end (c++, c#), then normalised.
std::vector<std::string> hashtag_words(std::string_view text);

} // namespace mneme
