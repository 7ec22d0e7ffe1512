#pragma once
/// Words of a request that say when something was said, or that it was, and nothing of what it is
/// about. English alone.

#include <string_view>

namespace mneme {

/// "yesterday", "last", "weeks", "ago": of a word in lower case.
bool says_when(std::string_view lower);
/// "conversation", "told", "memory": what every memory is.
bool says_that_it_was_said(std::string_view lower);

} // namespace mneme
