// The pure parts of topics and colours that importers make: words, hashtags, candidates.
// Of: tools/import/import_colours.cpp

#include <catch2/catch.hpp>

#include "mneme/engine.hpp"
#include "tools/import/import_colours.hpp"
#include "tools/import/text_words.hpp"

using namespace mneme;
using namespace mneme::importing;

using words = std::vector<std::string>;

TEST_CASE("telling words are lower case, long enough and not empty of meaning") {
  CHECK(telling_words("The Crane, the crane's HOOK and 42 x1 ab")
        == words{"crane", "crane", "hook"});
  CHECK(telling_words("std::git_import(\"Ärger\") 2023") == words{"std", "git_import", "ärger"});
  CHECK(telling_words("don't isn't").empty());
  CHECK(telling_words(std::string(65, 'a')).empty());
  CHECK(telling_words("").empty());
}

TEST_CASE("the most frequent words come first, then the first ones") {
  word_counts counts;
  counts.add("pier crane crane");
  counts.add("ship pier rope crane");
  CHECK(counts.most(3) == words{"crane", "pier", "ship"});
  CHECK(counts.most(9) == words{"crane", "pier", "ship", "rope"});
}

TEST_CASE("a name is one hashtag") {
  CHECK(name_as_hashtag("Abigail Chen") == "abigail-chen");
  CHECK(name_as_hashtag(" conv-26 ") == "conv-26");
  CHECK(name_as_hashtag("#Tea, leaf!") == "tea-leaf");
  CHECK(name_as_hashtag("?!").empty());
  CHECK(name_as_hashtag(std::string(80, 'b')).size() == 64);
}

TEST_CASE("names give four of the words, the text the others, then names again") {
  const colour_source long_text{.whose = "a",
                                .names = {"one two", "three four five six"},
                                .text = "seven eight nine eight",
                                .when = {}};
  CHECK(mid_candidates(long_text)
        == words{"two", "three", "four", "five", "eight", "seven", "nine", "six"});
}

TEST_CASE("the outer word is the month") {
  CHECK(outer_word({.whose = "", .names = {}, .text = "", .when = timestamp{}}) == "1970-01");
  CHECK(outer_word({.whose = "", .names = {}, .text = "", .when = {}}) == "undated");
}

namespace {

colour_source about(const std::string& whose, const std::string& text) {
  return {.whose = whose, .names = {}, .text = text, .when = timestamp{}};
}

std::string numbered(const char* stem, std::size_t n) {
  std::string word = stem; // letters only: numbers are no words
  for (const char digit : std::to_string(n)) word += static_cast<char>('a' + (digit - '0'));
  return word;
}

} // namespace

TEST_CASE("a colour is one core word, six mid words and one outer word, assigned once") {
  auto world = open_in_memory({});
  REQUIRE(world);
  auto colours = import_colours::open(*world);
  REQUIRE(colours);
  auto first = colours->choose(about("Ana", "pier crane ship rope mast sail anchor"), "ana");
  REQUIRE(first);
  CHECK(first->hashtags
        == words{"ana", "pier", "crane", "ship", "rope", "mast", "sail", "1970-01"});
  CHECK(first->new_tags.size() == 8);
  CHECK(first->new_tags[0].zone == colour_zone::core);
  CHECK(first->new_tags[6].zone == colour_zone::mid);
  CHECK(first->new_tags[7].zone == colour_zone::outer);
  // After four, words that others have come before new ones.
  auto second = colours->choose(about("Ana", "tar oar hull keel bow stern mast sail"), "ana");
  REQUIRE(second);
  CHECK(second->hashtags == words{"ana", "tar", "oar", "hull", "keel", "mast", "sail", "1970-01"});
  CHECK(second->new_tags.size() == 4);
  CHECK_FALSE(colours->choose(about("Ana", "only five words are here"), "ana"));
  CHECK_FALSE(colours->choose(about("", "pier crane ship rope mast sail"), "ana"));
  CHECK_FALSE(colours->choose(about("pier", "crane ship rope mast sail keel"), "ana"));
}

TEST_CASE("imports leave half of a zone to others") {
  auto world = open_in_memory({});
  REQUIRE(world);
  auto colours = import_colours::open(*world);
  REQUIRE(colours);
  const std::string text = "pier crane ship rope mast sail";
  std::size_t coloured = 0;
  for (std::size_t i = 0; i < 600; ++i)
    if (colours->choose(about(numbered("who", i), text), "")) ++coloured;
  CHECK(coloured == 500);
  CHECK(colours->choose(about(numbered("who", 3), text), ""));

  std::size_t new_words = 0;
  for (std::size_t i = 0; i < 700; ++i) {
    std::string six;
    for (std::size_t k = 0; k < 6; ++k) six += numbered("word", i * 6 + k) + " ";
    if (auto chosen = colours->choose(about(numbered("who", 3), six), ""))
      new_words += chosen->new_tags.size();
  }
  CHECK(new_words == 3240); // with the six before it is 3246 of 3250: six more do not fit
  CHECK(colours->choose(about(numbered("who", 3), text), ""));
}
