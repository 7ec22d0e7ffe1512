#pragma once
/// Lower case by Unicode's default mapping, the whole of it: U+0130 becomes two code points, and a
/// capital sigma at the end of a word becomes a final one. No locale.

#include <string>
#include <string_view>

namespace mneme {

/// Precondition: UTF-8.
std::string lower_case(std::string_view text);

/// A-Z as a-z and nothing else, as names of HTTP compare.
std::string lower_ascii(std::string_view text);

} // namespace mneme
