#include "query/asked_words.hpp"

#include <catch2/catch.hpp>

using words = std::vector<std::string>;

TEST_CASE("words of a question keep their forms") {
  CHECK(mneme::asked_words("What's NEW, in 2023-07?")
        == words{"what", "s", "new", "in", "2023", "07"});
  CHECK(mneme::asked_words("Élan_vital x") == words{"Élan_vital", "x"});
  CHECK(mneme::asked_words("\u201CAna\u2019s\u201D\u2014dog 10\u00A0May")
        == words{"ana", "s", "dog", "10", "may"});
  CHECK(mneme::asked_words(" ?! ").empty());
}
