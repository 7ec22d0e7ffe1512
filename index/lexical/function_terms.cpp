#include "index/lexical/function_terms.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "messages/text/function_words.hpp"

namespace mneme {

bool is_function_term(std::string_view term, std::string_view language) {
  if (language != default_language) return false;
  static const std::vector<std::string> terms = [] {
    auto all = text_terms(function_words);
    std::ranges::sort(all);
    return all;
  }();
  return std::ranges::binary_search(terms, term);
}

} // namespace mneme
