// Texts that people call the same.
// Of: messages/text/folded_text.cpp
#include <catch2/catch.hpp>

#include "messages/text/folded_text.hpp"

using namespace mneme;

TEST_CASE("a folded text has no case, no accents and no more spaces than words need") {
  CHECK(folded_text("Tea at  FOUR\n in the Café ") == "tea at four in the cafe");
  CHECK(folded_text("  ").empty());
  CHECK(folded_text("").empty());
  CHECK(folded_text("Stra\u00dfe") == "strasse");
  CHECK(folded_text("e\u0301t\u00e9") == "ete");     // decomposed and composed
  CHECK(folded_text("\u00a0a\u3000b") == "a b");     // spaces that are no blanks
  CHECK(folded_text("\uff34\uff25\uff21") == "tea"); // full width
  CHECK(folded_text("tea, at four") != folded_text("tea at four"));
  const std::string once = folded_text("ÀÉÎ ö Ñ ﬁ №5");
  CHECK(folded_text(once) == once);
}
