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

TEST_CASE("a question without its contractions") {
  CHECK(without_contractions("Valentine's Day") == "Valentine Day");
  CHECK(without_contractions("WHAT'S Ana’s?") == "WHAT Ana?");
  CHECK(without_contractions("I'd say they're, we'll, I've, I'm, don't")
        == "I say they, we, I, I, don");
  CHECK(without_contractions("O'Brien's") == "O'Brien");
  for (const char* kept :
       {"rock 'n' roll", "'s", "L'Oréal", "ma'am", "James' day", "it's_x", "s t", "A'sé", "80 's"})
    CHECK(without_contractions(kept) == kept);
}
