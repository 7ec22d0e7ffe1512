// What words ask to forget: how much, and what it is about.
// Of: query/selection/asked_selection.cpp, query/selection/word_list.cpp
// Of: query/selection/told_whose.cpp, query/selection/words_of_time.cpp
#include <catch2/catch.hpp>

#include "query/selection/asked_selection.hpp"
#include "query/selection/word_list.hpp"

using namespace mneme;

namespace {

std::string shown(const std::vector<asked_phrase>& phrases) {
  std::string all;
  for (const auto& p : phrases) all += (all.empty() ? "" : "|") + p.shown;
  return all;
}

struct expected {
  std::string_view words;
  asked_extent extent;
  std::string_view question;
  std::string_view identifiers = "";
  std::string_view names = "";
};

} // namespace

TEST_CASE("asked: how much, about what, by which identifiers and names") {
  using enum asked_extent;
  for (const auto& e : {
           expected{"Forget everything about the Globex contract.", all, "Globex contract.", "",
                    "Globex"},
           expected{"Delete all you know about Maria Lopez", all, "Maria Lopez", "", "Maria Lopez"},
           expected{"please remove every note that mentions tea", all, "tea"},
           expected{"forget about the harbour", all, "harbour"},
           expected{"erase anything related to Vireo Media, please", all, "Vireo Media,", "",
                    "Vireo Media"},
           expected{"Delete ana@example.org", thing, "ana@example.org", "ana@example.org"},
           expected{"Forget invoice 2211-0042.", thing, "invoice 2211-0042.", "2211-0042"},
           expected{"drop src/core/engine.cpp and src/core/world.cpp", thing,
                    "src/core/engine.cpp and src/core/world.cpp",
                    "src/core/engine.cpp|src/core/world.cpp"},
           expected{"Remove \"tea at four\" from memory", thing, "\"tea at four\"", "tea at four"},
           expected{"Forget that I moved to Lisbon", fact, "I moved to Lisbon", "", "Lisbon"},
           expected{"that Luc speaks French", fact, "Luc speaks French", "", "Luc|French"},
           expected{"where Ana lives", fact, "Ana lives", "", "Ana"},
           expected{"Forget where Ana lives", fact, "Ana lives", "", "Ana"},
           expected{"When Ana works at Globex", fact, "Ana works at Globex", "", "Ana|Globex"},
           expected{"what the server runs", thing, "server runs"},
           expected{"forget what the server runs", thing, "server runs"},
           expected{"Where does Ana live?", fact, "Where does Ana live?", "", "Ana"},
           expected{"Delete the note that says Ana is a nurse.", fact, "Ana is a nurse.", "",
                    "Ana"},
           expected{"My address is now 12 Oak Street.", fact, "My address is now 12 Oak Street.",
                    "", "Oak Street"},
           expected{"my old phone number", thing, "my old phone number"},
           expected{"Forget what I told you about the trip to Japan", all, "trip to Japan", "",
                    "Japan"},
           expected{"don't remember that I like jazz", fact, "I like jazz"},
           expected{"Forget that I like tea but not coffee", fact, "I like tea but not coffee"},
           expected{"Delete everything about Globex except the invoice", all, "Globex", "",
                    "Globex"},
           expected{"forget", thing, "forget"},
       }) {
    INFO(e.words);
    const auto asked = read_asked(e.words);
    CHECK(asked.extent == e.extent);
    CHECK(asked.question == e.question);
    CHECK(shown(asked.identifiers) == e.identifiers);
    CHECK(shown(asked.names) == e.names);
  }
}

TEST_CASE("asked: an identifier is one term, as memories have it; a path is a token") {
  CHECK(read_asked("delete 2211-0042").identifiers.front().terms
        == std::vector<std::string>{"22110042"});
  CHECK(read_asked("delete 0042").identifiers.front().terms == std::vector<std::string>{"42"});
  const auto path = read_asked("delete /etc/Mneme/keys").identifiers.front();
  CHECK(path.token == "/etc/mneme/keys");
  CHECK(has_token("the keys are in (/etc/mneme/keys).", path.token));
  CHECK_FALSE(has_token("the keys are in /etc/mneme/keys.old", path.token));
  CHECK_FALSE(has_token("the keys are in /usr/etc/mneme/keys", path.token));
}

TEST_CASE("asked: a number is one however its parts are set apart") {
  const auto spaced = read_asked("delete 0171 5550199").identifiers;
  REQUIRE(spaced.size() == 1);
  CHECK(spaced.front().terms == std::vector<std::string>{"1715550199"});
  CHECK(spaced.front().runs == std::vector<std::string>{"0171", "5550199"});
  for (const auto* text : {"call 0171-5550199.", "(0171) 5550199", "0171 5550199, 2 rooms",
                           "+1715550199", "(0171)5550199", "01715 550199"})
    CHECK(has_identifier(text, spaced.front()));
  for (const auto* text : {"0171-55501990", "5550199 0171", "10171-5550199", "0171, 5550199",
                           "0171-5550199-A", "0171. 5550199"})
    CHECK_FALSE(has_identifier(text, spaced.front()));
  CHECK(read_asked("delete rooms 12 and 14").identifiers.empty());
}

TEST_CASE("asked: points and commas inside a number are of it") {
  const auto has = [](const char* text, const char* number) {
    INFO(text << " / " << number);
    const auto found = read_asked(std::string("delete ") + number).identifiers;
    REQUIRE(found.size() == 1);
    return has_identifier(text, found.front());
  };
  for (const auto* text : {"It is 1,000 euros", "It is $1,000.", "It is 1 000", "It is 1000€"}) {
    CHECK(has(text, "1,000"));
    CHECK(has(text, "1000"));
    CHECK(has(text, "$1,000"));
  }
  for (const auto* text : {"10.0.0.1", "0.5", "5 to 0", "0", "1.000", "1,0001", "11,000",
                           "1,000.50", "1 dog and 000", "1,000,000", "21,000", "1, 000"})
    CHECK_FALSE(has(text, "1,000"));
  CHECK(has("1,000,000.50 in all", "1000000.50"));
  CHECK(has("It costs 12,50.", "12,50"));
  for (const auto* text : {"12.50", "1250", "12 50", "On 12 May 50 came", "12,500", "112,50"})
    CHECK_FALSE(has(text, "12,50"));
  CHECK_FALSE(has("Score 5 to 0", "0.5"));
  CHECK_FALSE(has("5", "0.5"));
  CHECK(has("version 1.2, at last", "1.2"));
  CHECK(has("V1.2", "1.2"));
  CHECK(has("now at 1.2.3.", "v1.2.3"));
  for (const auto* text : {"1.2.3", "1.2.30", "12", "1.20", "1.2-rc1", "v1.2.3"})
    CHECK_FALSE(has(text, "1.2"));
  CHECK(has("at 10.11.12.13", "10.11.12.13"));
  CHECK_FALSE(has("at 10.1.112.13", "10.11.12.13"));
  CHECK(has("call 555.010.9999", "555-010-9999"));
}

TEST_CASE("asked: an identifier is no part of a longer one") {
  const auto has = [](const char* text, const char* asked) {
    INFO(text << " / " << asked);
    const auto found = read_asked(std::string("delete ") + asked).identifiers;
    REQUIRE(found.size() == 1);
    return has_identifier(text, found.front());
  };
  for (const auto* text : {"Code 2211 0042 is old", "2211-0042.", "(22110042)", "No.22110042",
                           "invoice:2211-0042", "order#22110042", "2211/0042"}) {
    CHECK(has(text, "22110042"));
    CHECK(has(text, "2211-0042"));
  }
  for (const auto* text : {"22110042-A", "A-22110042", "122110042", "2211 00421", "2211, 0042"})
    CHECK_FALSE(has(text, "2211-0042"));
  CHECK(has("the part kx/12", "KX-12"));
  CHECK(has("the part KX12's lid", "KX-12"));
  CHECK_FALSE(has("the part KX-12-B", "KX-12"));
  CHECK(has("mailto:carl@x.org is broken", "carl@x.org"));
  CHECK(has("(Carl@X.org), says Ana", "mailto:carl@x.org"));
  CHECK(has("O’Brien@example.org's keys", "o'brien@example.org"));
  struct pair {
    const char* text;
    const char* asked;
  };
  for (const auto& [text, asked] : {
           pair{"brien@example.org", "o'brien@example.org"},
           pair{"o'brien@example.org", "brien@example.org"},
           pair{"ana-silva@x.org", "ana_silva@x.org"},
           pair{"ana_silva@x.org", "ana-silva@x.org"},
           pair{"ana+x@x.org", "ana@x.org"},
           pair{"@ana_b", "@ana"},
           pair{"ana", "@ana"},
           pair{"carl@x.org", "@x.org"},
           pair{"Plate B-MW 1234", "@ana_b"},
           pair{"ana_b", "@ana_b"},
       })
    CHECK_FALSE(has(text, asked));
  CHECK(has("Ask (@Ana_b).", "@ana_b"));
}

TEST_CASE("asked: what is no identifier by itself, and a list without spaces") {
  CHECK(read_asked("delete file (1).txt").identifiers.empty());
  for (const auto* words :
       {"delete KX-12,KX-13", "delete ana@x.org;ben@x.org", "delete 4711,4712"}) {
    INFO(words);
    const auto asked = read_asked(words);
    CHECK(asked.identifiers.size() == 2);
    CHECK(asked.any_identifier);
  }
}

TEST_CASE("asked: whose statement it is") {
  CHECK(read_asked("My address is 12 Oak Street.").is_mine);
  CHECK_FALSE(read_asked("Ana lives in Oslo.").is_mine);
  for (const auto* words : {"forget my address", "forget where I live", "my old phone number",
                            "delete the note that says my boat is red"})
    CHECK(read_asked(words).is_mine);
  for (const auto* words : {"forget what I said about Ana", "forget the address", "forget it"})
    CHECK_FALSE(read_asked(words).is_mine);
  CHECK(names_another("Ben said he lives in Rome.", "Ben lives in Porto"));
  CHECK_FALSE(names_another("John: I said it. Your journey leads on", "James is on a journey"));
  CHECK(begins_with_name("Ana bought a tent."));
  CHECK(begins_with_name("Ben: Ana bought a tent."));
  for (const auto* text :
       {"Ben: I bought a tent.", "The tent is blue.", "I've got a tent", "", "tent"})
    CHECK_FALSE(begins_with_name(text));
}

TEST_CASE("asked: years, small numbers and ordinals identify nothing") {
  for (const auto* words : {"forget that I was in Oslo in 2019", "forget that I run 10 kilometres",
                            "forget my 4th lesson", "forget the well-known song"})
    CHECK(read_asked(words).identifiers.empty());
}

TEST_CASE("asked: several identifiers are all meant, or any of a list") {
  CHECK(read_asked("delete KX-12 and KX-13").any_identifier);
  CHECK(read_asked("delete KX-12, KX-13").any_identifier);
  CHECK_FALSE(read_asked("delete KX-12 of ana@example.org").any_identifier);
}

TEST_CASE("asked: whose a thing is, and whom a statement begins with") {
  CHECK(read_asked("forget my address").is_whose);
  CHECK(read_asked("my old phone number").is_whose);
  CHECK_FALSE(read_asked("forget the Globex contract").is_whose);
  CHECK_FALSE(read_asked("globex").is_whose);
  CHECK(read_asked("Bruno now works at Globex.").subject.shown == "Bruno");
  CHECK(shown(read_asked("Bruno is with Globex.").names) == "Globex");
  CHECK(read_asked("Maria Lopez lives in Oslo.").subject.shown == "Maria Lopez");
  CHECK(read_asked("My address is 12 Oak Street.").subject.terms.empty());
  CHECK(read_asked("Yesterday I moved to Oslo.").subject.terms.empty());
  CHECK(shown(read_asked("Globex").names) == "Globex");
  CHECK(shown(read_asked("forget all about The Beatles").names) == "Beatles");
}

TEST_CASE("asked: whose a thing is in a text") {
  const auto owner = [](std::string_view text) { return owner_in(text, {"car"}); };
  CHECK(owner("My car is blue") == noun_owner::mine);
  CHECK(owner("Ben hit my old red car") == noun_owner::mine);
  CHECK(owner("Her car hit our car") == noun_owner::mine);
  CHECK(owner("Her car is blue") == noun_owner::others);
  CHECK(owner("Ben's new car is blue") == noun_owner::others);
  CHECK(owner("I like the car") == noun_owner::nobody);
  CHECK(owner("My cat likes the car") == noun_owner::nobody);
  CHECK(owner("my, car") == noun_owner::nobody);
  CHECK(owner("Car") == noun_owner::nobody);
  CHECK(owner("") == noun_owner::nobody);
  CHECK(owner_in("My car is blue", {}) == noun_owner::nobody);
}

TEST_CASE("asked: what is excepted is kept") {
  using things = std::vector<std::vector<std::string>>;
  struct expected_kept {
    std::string_view words;
    things kept;
    std::string_view question;
  };
  for (const auto& e : {
           expected_kept{
               "delete everything about Globex except the invoice", {{"invoic"}}, "Globex"},
           expected_kept{"forget all about tea but keep the green one", {{"green"}}, "tea"},
           expected_kept{"everything about Globex except the invoice and the contract",
                         {{"invoic"}, {"contract"}},
                         "Globex"},
           expected_kept{"all about Globex apart from the invoice", {{"invoic"}}, "Globex"},
           expected_kept{"all about Globex other than the invoice", {{"invoic"}}, "Globex"},
           expected_kept{"all about Globex without the invoice", {{"invoic"}}, "Globex"},
           expected_kept{"forget about Globex, not the invoice", {{"invoic"}}, "Globex,"},
           expected_kept{
               "forget all about Globex but the spare wheel", {{"spare", "wheel"}}, "Globex"},
       }) {
    INFO(e.words);
    const auto asked = read_asked(e.words);
    CHECK(asked.refusal.empty());
    CHECK(asked.question == e.question);
    CHECK(asked.kept == e.kept);
  }
}

TEST_CASE("asked: the contrary of forgetting, and an exception without a matter, are refused") {
  for (const auto* words :
       {"don't delete the Globex contract", "don't forget the milk", "do not forget the milk",
        "never forget that Ana is allergic to peanuts", "you must not forget the milk",
        "Please remember that I am allergic to peanuts", "keep the Globex contract",
        "forget everything not about Globex", "stop deleting the Globex notes",
        "forget everything except my passport number", "forget everything but the Globex contract",
        "delete all notes except those from Ana", "forget all about Globex except"}) {
    INFO(words);
    CHECK_FALSE(read_asked(words).refusal.empty());
  }
  for (const auto* words :
       {"don't remember that I like jazz", "forget that I never liked jazz", "forget about jazz",
        "stop remembering my address", "no, forget the milk",
        "forget that Ana does not forget birthdays", "delete \"don't forget\"",
        "my address is no longer 5 Elm Road", "I no longer want you to know about Globex"}) {
    INFO(words);
    CHECK(read_asked(words).refusal.empty());
  }
}

TEST_CASE("asked: a list is refused, but one of identifiers, or in a statement or a quotation") {
  for (const auto* words :
       {"the violin and the umbrella", "everything about KX-100 or the part KX-101",
        "delete KX-12 and KX-13 and the invoice", "forget everything about tea and Globex",
        // One of them by itself says something else, or both are meant at once.
        "forget the Globex and Initech contracts", "forget Ana and Ben's trip",
        "forget Ana's and Ben's notes", "forget all notes with both Globex and Initech",
        "forget the notes that mention Globex and Initech", "delete all notes on Ana and Ben",
        "forget my Globex badge and my Initech badge", "Globex and Initech",
        // A comma alone joins what one name may have in it, or sets apart who is spoken to.
        "forget everything about Acme, Inc.", "forget everything about Paris, Texas",
        "forget everything about Smith, John", "forget everything about Globex, Ana",
        "forget everything about Globex, Initech", "forget everything about Globex , Initech",
        "forget everything about Globex ; Initech", "forget everything about Globex and Ana, Ben",
        // No names by themselves.
        "forget everything about Acme, Inc. and Globex", "forget everything about Smith and Co.",
        "forget everything about Acme, L.L.C. or Globex",
        "forget everything about Ana Lima, Jr. and Globex",
        // The year may be of both.
        "forget everything about Globex and Initech in 2019"}) {
    INFO(words);
    CHECK_FALSE(read_asked(words).refusal.empty());
    CHECK(read_asked(words).parts.empty());
  }
  for (const auto* words :
       {"delete KX-12, KX-13 and KX-14", "forget that I like bread and butter",
        "forget everything about \"Marks and Spencer\"", "the note about bread and butter",
        "delete 0171 55501 and 0172 55502"}) {
    INFO(words);
    CHECK(read_asked(words).refusal.empty());
  }
}

TEST_CASE("asked: each of a list of names is asked for by itself") {
  const auto parts = [](const char* words) {
    const auto asked = read_asked(words);
    INFO(words << ": " << asked.refusal);
    CHECK(asked.refusal.empty());
    std::string all;
    for (const auto& part : asked.parts) all += (all.empty() ? "" : " | ") + part.question;
    return all;
  };
  CHECK(parts("everything about Globex and Initech") == "Globex | Initech");
  CHECK(parts("Please forget all about Globex, Initech and Ana Lima")
        == "Globex | Initech | Ana Lima");
  CHECK(parts("delete the Globex contract and the Initech invoice")
        == "Globex contract | Initech invoice");
  CHECK(parts("forget all notes that mention Globex or KX-12") == "Globex | KX-12");
  CHECK(parts("forget all about Globex , Initech , and Ana") == "Globex | Initech | Ana");
  CHECK(parts("forget everything about Acme Inc. and Globex") == "Acme Inc. | Globex");
  const auto but = read_asked("forget everything about Globex and Initech except the invoice");
  REQUIRE(but.parts.size() == 2);
  for (const auto& part : but.parts) CHECK(part.kept == but.kept);
  CHECK(but.listed.shown == "Globex and Initech");
}

TEST_CASE("asked: what stands together has no more than a short word between") {
  using words = std::vector<std::string>;
  const words marks = {"marks"};
  const words spencer = {"spencer", "ltd"};
  CHECK(stand_together(marks, spencer, {"by", "marks", "spencer", "ltd"}));
  CHECK(stand_together(marks, spencer, {"marks", "and", "spencer", "ltd", "sells"}));
  CHECK(stand_together(marks, spencer, {"marks", "marks", "für", "spencer", "ltd"}));
  for (const words& text :
       {words{"marks", "with", "spencer", "ltd"}, words{"marks", "and", "a", "spencer", "ltd"},
        words{"spencer", "ltd", "marks"}, words{"marks", "and", "spencer"}, words{"marks"},
        words{}})
    CHECK_FALSE(stand_together(marks, spencer, text));
  CHECK_FALSE(stand_together({}, spencer, spencer));
}

TEST_CASE("asked: a capital letter begins a name, whatever the word") {
  CHECK(shown(read_asked("forget Will Smith").names) == "Will Smith");
  CHECK(shown(read_asked("Will Smith").names) == "Will Smith");
  CHECK(shown(read_asked("forget everything about Data Corp").names) == "Data Corp");
  CHECK(shown(read_asked("Data Corp").names) == "Data Corp");
  CHECK(shown(read_asked("delete Clear Water").names) == "Clear Water");
  CHECK(read_asked("forget everything about History museum").question == "History museum");
  CHECK(read_asked("all about Oslo Records").question == "Oslo Records");
  CHECK(read_asked("FORGET EVERYTHING ABOUT GLOBEX").question == "GLOBEX");
  CHECK(read_asked("Please Forget that I like tea").question == "I like tea");
}

TEST_CASE("asked: a sign is of the word, and names count though they are words of the language") {
  for (const char* word : {"C++", "C#", "F#", ".NET", ".gitignore"}) {
    INFO(word);
    const auto asked = read_asked(std::string("forget everything about ") + word);
    REQUIRE(asked.identifiers.size() == 1);
    CHECK(asked.identifiers.front().shown == word);
    CHECK_FALSE(asked.identifiers.front().token.empty());
  }
  CHECK(read_asked("forget everything about ...net").identifiers.empty());
  CHECK(read_asked("forget everything about 18+").identifiers.empty());
  CHECK(read_asked("forget everything about Will").content == std::vector<std::string>{"will"});
  CHECK(read_asked("forget everything about Will").names.front().is_word);
  CHECK(read_asked("forget everything about AT&T").content == std::vector<std::string>{"at", "t"});
  CHECK(read_asked("forget everything about C").names.front().token == "c");
  CHECK(has_token("I write C++, and (.NET)", "c++"));
  CHECK(has_token("I write C++, and (.NET)", ".net"));
  CHECK_FALSE(has_token("the net, and ...net", ".net"));
  CHECK(stands_as_name("I met Will", "will"));
  CHECK(stands_as_name("Will is a nurse", "will"));
  CHECK_FALSE(stands_as_name("Will you come? I will.", "will"));
}

TEST_CASE("asked: a name is no part of an address or of a path") {
  using list = std::vector<std::string>;
  CHECK(named_words("Write to ana.maria@example.org, says Ana")
        == list{"write", "to", "says", "ana"});
  CHECK(named_words("see /srv/ana/x.txt") == list{"see"});
  CHECK(named_words("C:\\ana https://ana.org/x ~/ana").empty());
  CHECK(named_words("Ana/Ben, he/she").size() == 4);
}

TEST_CASE("asked: of very many words the first are read") {
  std::string many = "forget that";
  for (int i = 0; i < 100'000; ++i) many += " 'w" + std::to_string(i % 7000);
  const auto asked = read_asked(many);
  CHECK(asked.extent == asked_extent::fact);
  CHECK(asked.question.size() < 10'000);
}

TEST_CASE("asked: any text is read, however odd") {
  for (const auto* words : {"", " ", "\"", "''", "that that that", "about", "everything about", "…",
                            "“", "forget 'tis", "a\xCC\x81", "except except", ". . ."}) {
    INFO(words);
    const auto asked = read_asked(words);
    CHECK(asked.question.size() <= std::string_view(words).size());
  }
}
