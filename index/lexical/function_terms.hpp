#pragma once
/// Terms that say little about a text's matter: those of the function words. There is a list for
/// English alone; of other languages, how many contents have a word says so.

#include <string_view>

#include "index/lexical/text_terms.hpp"

namespace mneme {

/// `term` as text_terms makes it of that language.
bool is_function_term(std::string_view term, std::string_view language = default_language);

} // namespace mneme
