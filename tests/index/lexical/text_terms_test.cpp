#include <catch2/catch.hpp>

#include <algorithm>

#include "index/lexical/lexical.hpp"
#include "index/lexical/text_terms.hpp"

using namespace mneme;
using terms = std::vector<std::string>;

TEST_CASE("spec 7, tokens: maximal runs of letters and digits, lower-cased") {
  CHECK(text_terms("user_declared 0.50") == terms{"user", "declar", "0", "50", "0.50"});
  CHECK(text_terms("C3PO!x2") == terms{"c3po", "x2"});
  CHECK(text_terms("  \n..--  ").empty());
  CHECK(text_terms("").empty());
}

TEST_CASE("spec 7, tokens: repetitions stay, and there are no stop words") {
  CHECK(text_terms("the cat and the hat") == terms{"the", "cat", "and", "the", "hat"});
}

TEST_CASE("spec 7, tokens: the English stemmer folds inflections") {
  CHECK(text_terms("painting painted paints") == terms{"paint", "paint", "paint"});
  CHECK(text_terms("Running RUNS run") == terms{"run", "run", "run"});
}

TEST_CASE("spec 7, tokens: Unicode") {
  CHECK(text_terms("ÄRGER Übung") == terms{"arger", "ubung"});
  CHECK(text_terms("ПРИВЕТ, мир") == terms{"привет", "мир"});
  CHECK(text_terms("नमस्ते दुनिया").size() == 2);
  CHECK(text_terms("東京都 2024") == terms{"東京", "京都", "2024"});
  CHECK(text_terms("a\xFF"
                   "b")
        == terms{"a", "b"});
}

TEST_CASE("spec 7, tokens: both small sigmas are one, and so are both lower cases of a dotted I") {
  CHECK(text_terms("ΔΡΟΜΟΣ") == text_terms("δρομος"));
  CHECK(text_terms("Σίσυφος σίσυφοσ ΣΊΣΥΦΟΣ") == terms{"σισυφοσ", "σισυφοσ", "σισυφοσ"});
  CHECK(text_terms("İstanbul i\u0307stanbul I\u0307STANBUL Istanbul").size() == 4);
  CHECK(text_terms("İstanbul") == text_terms("istanbul"));
  CHECK(text_terms("i\u0307stanbul") == text_terms("İSTANBUL"));
}

TEST_CASE("accents and compatibility forms are folded") {
  CHECK(text_terms("Café cafe\u0301 CAFE") == terms{"cafe", "cafe", "cafe"});
  CHECK(text_terms("a\u0307b x\u0301b") == terms{"ab", "xb"});
  CHECK(text_terms("\uFF12\uFF10 \uFB01sh Straße") == terms{"20", "fish", "strass"});
}

TEST_CASE("letters that are no letter with an accent are folded as they are written without it") {
  CHECK(text_terms("Łukasz ŁÓDŹ Søren Øyvind") == terms{"lukasz", "lodz", "soren", "oyvind"});
  CHECK(text_terms("Đorđe Þór Guðrún", "none") == terms{"dorde", "thor", "gudrun"});
  CHECK(text_terms("Æsir œuvre ağrı ħŧ", "none") == terms{"aesir", "oeuvre", "agri", "ht"});
  CHECK(text_terms("STRAẞE", "none") == terms{"strasse"});
  CHECK(folded_words("Łukasz") == terms{"lukasz"});
}

TEST_CASE("of han and kana each two that follow each other are a term") {
  CHECK(text_terms("彼は東京に") == terms{"彼は", "は東", "東京", "京に"});
  CHECK(text_terms("東 京。都") == terms{"東", "京", "都"});
  CHECK(text_terms("iPhone15を買う") == terms{"iphone15", "を買", "買う"});
  CHECK(text_terms("東京abc") == terms{"東京", "abc"});
  CHECK(text_terms("東京ł") == terms{"東京", "l"});
  // A mark stands on the letter before it, composed or not.
  CHECK(text_terms("ガラス") == text_terms("ｶﾞﾗｽ"));
  CHECK(text_terms("ガラス").size() == 2);
  CHECK(folded_words("東京都") == terms{"東京", "京都"});
}

TEST_CASE("words are folded as terms are, and keep their endings") {
  CHECK(folded_words("Renée's cafés, KX-12")
        == std::vector<std::string>{"renee", "s", "cafes", "kx", "12"});
  CHECK(folded_words("…").empty());
}

TEST_CASE("an identifier is a term beside its parts") {
  CHECK(text_terms("mail ana@example.org now")
        == terms{"mail", "ana", "exampl", "org", "ana@exampleorg", "now"});
  CHECK(text_terms("2211-0042.") == terms{"2211", "0042", "22110042"});
  CHECK(text_terms("22110042") == terms{"22110042"});
  CHECK(text_terms("1.10. 110") == terms{"1", "10", "1.10", "110"});
  CHECK(text_terms("order 0042") == terms{"order", "0042", "42"});
  CHECK(text_terms("000 00-0") == terms{"000", "0", "00", "0", "0"});
  CHECK(text_terms("src/v2/Main.cpp") == terms{"src", "v2", "main", "cpp", "srcv2maincpp"});
  CHECK(text_terms("A-17 a17 a--17") == terms{"a", "17", "a17", "a17", "a", "17"});
  CHECK(text_terms("well-known and/or e.g.") == terms{"well", "known", "and", "or", "e", "g"});
  CHECK(text_terms("@ana ana@ .5") == terms{"ana", "ana", "5"});
}

TEST_CASE("a hash is found by its first digits, however many of them a text or a question has") {
  CHECK(text_terms("1A2b3c4") == terms{"1a2b3c4"});
  CHECK(text_terms("1a2b3c4d9.") == terms{"1a2b3c4d9", "1a2b3c4", "1a2b3c4d"});
  const std::string whole = "1a2b3c4d9e0f1a2b3c4d9e0f1a2b3c4d9e0f1a2b";
  const auto cut = text_terms("1a2b3c4d9e0f", "none");
  CHECK(cut.size() == 6);
  auto all = text_terms(whole, "none");
  CHECK(all.size() == 7);
  for (const auto& term : cut) CHECK(std::ranges::count(all, term) == 1);
  // What looks like the end of a word is cut off of each alike.
  const auto term = text_terms("1a2b3ed").front();
  CHECK(std::ranges::count(text_terms("1a2b3ed4c5d6"), term) == 1);
  // Words, numbers, what is longer or no hexadecimal, and parts of other identifiers are none.
  for (const char* none : {"defaced0x", "deadbeef", "12345678", "1a2b3c4g"})
    CHECK(text_terms(none, "none") == terms{none});
  CHECK(text_terms(whole + "0", "none").size() == 1);
  CHECK(text_terms("1a2b3c4d-9e0f", "none") == terms{"1a2b3c4d", "9e0f", "1a2b3c4d9e0f"});
  CHECK(folded_words("1a2b3c4d9") == terms{"1a2b3c4d9"});
}

TEST_CASE("a run of any length is a term") {
  const std::string long_run(100'000, 'x');
  CHECK(text_terms(long_run) == terms{long_run});
}

TEST_CASE("a language has its own stems, and none has none") {
  CHECK(text_terms("houses running") == terms{"hous", "run"});
  CHECK(text_terms("Häuser Haus", "german") == terms{"haus", "haus"});
  CHECK(text_terms("maisons maison", "french") == terms{"maison", "maison"});
  CHECK(text_terms("Houses running", "none") == terms{"houses", "running"});
  CHECK(text_terms("2211-0042", "none") == text_terms("2211-0042"));
  // Threads use several languages in turn.
  CHECK(text_terms("running", "german") != text_terms("running"));
  CHECK(text_terms("running") == terms{"run"});
  const auto& all = text_languages();
  for (const char* name : {"english", "german", "french", "spanish", "russian", "none"})
    CHECK(std::ranges::count(all, name) == 1);
  for (const auto& name : all) CHECK_FALSE(text_terms("tea", name).empty());
}

TEST_CASE("the rules of a language are told from those of others, and English ones are as before") {
  CHECK(term_rules() == term_rules("english"));
  CHECK(term_rules("german") != term_rules("none"));
  CHECK(term_rules("german").starts_with(term_rules()));
  lexical german("german");
  german.put({0}, {0}, corpus::memories, "Häuser", {1});
  CHECK(german.document_frequency(corpus::memories, german.term("haus"), {1}) == 1);
  const auto image = german.save({1});
  lexical english;
  CHECK_FALSE(english.load(image));
  lexical again("german");
  CHECK(again.load(image));
  CHECK(again.language() == "german");
  CHECK(again.document_frequency(corpus::memories, again.term("haus"), {1}) == 1);
}

TEST_CASE("a number is found with the commas of its thousands and without") {
  const auto has = [](std::string_view text, const std::string& term) {
    const auto all = text_terms(text);
    return std::ranges::count(all, term) == 1;
  };
  CHECK(text_terms("1,000") == terms{"1000"});
  CHECK(has("it costs $12,500,000, he said", "12500000"));
  CHECK(has("1,234.50 euros", "1234.50"));
  CHECK(has("1,234.50 euros", "1234"));
  for (const std::string text : {"1,2,3", "1,0000", "1234,567", "x1,000", "0,123", "1,000,2"})
    CHECK_FALSE(has(text, "1000"));
  CHECK(text_terms("1,2") == terms{"1", "2"});
  CHECK(text_terms("1000, 200") == terms{"1000", "200"});
}
