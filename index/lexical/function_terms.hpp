#pragma once
/// Terms that say little about a text's matter: those of the function words.

#include <string_view>

namespace mneme {

/// `term` as text_terms makes it.
bool is_function_term(std::string_view term);

} // namespace mneme
