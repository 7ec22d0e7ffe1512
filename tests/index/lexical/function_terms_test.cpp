#include "index/lexical/function_terms.hpp"

#include <catch2/catch.hpp>

#include "index/lexical/text_terms.hpp"

using namespace mneme;

TEST_CASE("function words are known by their terms") {
  for (const auto* word : {"The", "having", "because", "yourself", "s"})
    CHECK(is_function_term(text_terms(word).at(0)));
  for (const auto* word : {"tea", "harbour", "served", "", "ago"})
    CHECK_FALSE(is_function_term(word));
}
