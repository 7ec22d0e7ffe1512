// Spec 6.2, text of hashtags: strip, lower-case, NFC; words of a text that may be hashtags.
// Of: messages/text/lower_case.cpp, messages/text/utf8_point.cpp
#include <catch2/catch.hpp>

#include "messages/text/hashtag.hpp"
#include "messages/text/lower_case.hpp"

using namespace mneme;

TEST_CASE("6.2 tags are stripped, put into lower case and composed") {
  CHECK(normalise_hashtag("  Tea \t\n") == "tea");
  CHECK(normalise_hashtag("\u00A0Tea\u3000") == "tea");
  CHECK(normalise_hashtag("CAFE\u0301") == "caf\u00E9");
  CHECK(normalise_hashtag("") == "");
  CHECK(normalise_hashtag(" \t") == "");
  CHECK(normalise_hashtag("green tea") == "green tea");
}

TEST_CASE("6.2 lower case is the full default mapping") {
  CHECK(lower_case("\u0130stanbul") == "i\u0307stanbul");
  CHECK(lower_case("\u039F\u0394\u039F\u03A3") == "\u03BF\u03B4\u03BF\u03C2"); // final sigma
  CHECK(lower_case("\u03A3") == "\u03C3");                                     // alone: no word
  CHECK(lower_case("\u0391\u03A3\u0391") == "\u03B1\u03C3\u03B1");
  CHECK(lower_case("\u0391\u03A3.") == "\u03B1\u03C2.");
  CHECK(lower_case("\u0391\u03A3'\u0391") == "\u03B1\u03C3'\u03B1"); // the apostrophe is inside
  CHECK(lower_case("\u00C4\u00D6\u1E9E") == "\u00E4\u00F6\u00DF");
}

TEST_CASE("6.2 a leading # does not tell tags apart") {
  CHECK(hashtag_key("#tea") == "tea");
  CHECK(hashtag_key("tea") == "tea");
  CHECK(hashtag_key("##tea") == "#tea");
  CHECK(hashtag_key("#").empty());
}

TEST_CASE("6.2 words keep inner punctuation and + and # at the end") {
  using words = std::vector<std::string>;
  CHECK(hashtag_words("Use C++, C# and node.js (3.12)!")
        == words{"use", "c++", "c#", "and", "node.js", "3.12"});
  CHECK(hashtag_words("#Tea, state-of-the-art; \u201CTEA\u201D...")
        == words{"tea", "state-of-the-art", "tea"});
  CHECK(hashtag_words(" \n\t ").empty());
  CHECK(hashtag_words("... - !").empty());
}
