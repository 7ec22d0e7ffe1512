#include "messages/text/quoted_text.hpp"

#include <catch2/catch.hpp>

using namespace mneme;

TEST_CASE("quoted text: one line that says whose word it is") {
  CHECK(quoted_as_data("tea", source_class::web) == "> [untrusted, web] tea");
  CHECK(quoted_as_data("tea", std::nullopt) == "> [untrusted] tea");
  CHECK(quoted_as_data("", source_class::model) == "> [untrusted, model] ");
}

TEST_CASE("quoted text: nothing in it begins a line or turns the writing") {
  const auto of = [](std::string_view text) { return quoted_as_data(text, {}).substr(14); };
  CHECK(of("a\nb\r\nc\td\x7F") == "a b  c d ");
  CHECK(of(std::string_view("a\0b", 3)) == "a b");
  CHECK(of("a\u0085b\u009Fc") == "a b c");
  CHECK(of("a\u2028b\u2029c\u202Ed\u200Fe\u2066f\u2069g") == "a b c d e f g");
  CHECK(of("Grüße, 東京, \u2014 \u200D\u2065") == "Grüße, 東京, \u2014 \u200D\u2065");
  // A character cut short is no other one.
  CHECK(of("\xE2\x80") == "\xE2\x80");
  CHECK(of("\xC2") == "\xC2");
}

TEST_CASE("what would command a terminal or turn the writing is a space, whoever vouches for it") {
  CHECK(as_one_line("tea\x1b[2Jfor\ttwo\nor \xC2\x9Bthree") == "tea [2Jfor two or  three");
  CHECK(as_plain_lines("tea\x1b[2Jfor\ttwo\nor\rthree\xE2\x80\xAE")
        == "tea [2Jfor\ttwo\nor three ");
  CHECK(as_one_line("käse – “tea”") == "käse – “tea”");
}
