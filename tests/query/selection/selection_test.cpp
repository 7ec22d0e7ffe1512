// Forgetting and superseding by words: what is selected, why, and what becomes of it.
// Of: query/selection/selection.cpp, query/selection/selection_choice.cpp
// Of: query/selection/selection_rows.cpp, actors/engine_matching.cpp
// Of: state/execute/execute_replace.cpp
#include <catch2/catch.hpp>

#include "tests/query/search/search_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

select_request words(std::string text) {
  select_request r;
  r.words = std::move(text);
  return r;
}

std::vector<memory_id> ids(const std::vector<selected_memory>& selected) {
  std::vector<memory_id> all;
  for (const auto& m : selected) all.push_back(m.uri.id);
  return all;
}

std::vector<memory_id> sorted(std::vector<memory_id> all) {
  std::ranges::sort(all);
  return all;
}

/// What the words select; the reason is that of all.
std::vector<memory_id> selected(search_world& w, std::string text,
                                std::optional<selection_reason> why = {}) {
  auto found = w.target.select(words(std::move(text)));
  REQUIRE(found);
  CHECK((!found->selected.empty() || !found->note.empty()));
  for (const auto& m : found->selected)
    if (why) CHECK(m.why == *why);
  return ids(found->selected);
}

write_request statement(std::string text) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(text);
  return r;
}

} // namespace

TEST_CASE("select: by identifier, whole, however it is written") {
  search_world w;
  const auto ana = w.note("Write to ana@example.org about the keys.");
  const auto other = w.note("Write to ana.maria@example.org about the keys.");
  const auto invoice = w.note("Invoice 2211-0042 was paid.");
  const auto path = w.note("The keys are in /etc/mneme/keys, says Ana.");
  const auto near = w.note("The keys are in /etc/mneme/keys.old");
  using enum selection_reason;
  CHECK(selected(w, "Delete ana@example.org", identifier) == std::vector{ana});
  CHECK(selected(w, "delete ANA.MARIA@example.org please", identifier) == std::vector{other});
  CHECK(selected(w, "forget invoice 22110042", identifier) == std::vector{invoice});
  CHECK(selected(w, "forget everything about /etc/mneme/keys", identifier) == std::vector{path});
  CHECK(selected(w, "forget \"keys.old\"", identifier) == std::vector{near});
  CHECK(selected(w, "delete 2211-0043").empty());
  CHECK(selected(w, "delete ana@example.org and 2211-0042", identifier) == sorted({ana, invoice}));
}

TEST_CASE("select: a number with separators inside is one number") {
  search_world w;
  const auto price = w.note("The price is 1,000 euros");
  const auto limit = w.note("The limit is 1000");
  for (const auto* text :
       {"The router is 10.0.0.1", "It took 0.5 hours", "Score 5 to 0", "I have 1 dog and 0 cats",
        "It took 0 minutes", "The rent is 12.50 euros", "On 12 May 50 came"})
    w.note(text);
  using enum selection_reason;
  CHECK(selected(w, "forget 1,000", identifier) == sorted({price, limit}));
  CHECK(selected(w, "forget 1000", identifier) == sorted({price, limit}));
  CHECK(selected(w, "delete the invoice over 1,500 euros").empty());
  CHECK(selected(w, "forget 12,50").empty());
  CHECK(selected(w, "forget 0.5", identifier).size() == 1);
  CHECK(selected(w, "forget 12.50", identifier).size() == 1);
}

TEST_CASE("select: an address, a code and a number are those of a memory as a whole") {
  search_world w;
  const auto handle = w.note("Ask @ana_b about the boat");
  const auto silva = w.note("Write to ana_silva@x.org");
  const auto dashed = w.note("Write to ana-silva@x.org");
  const auto brien = w.note("Write to o'brien@example.org");
  const auto plain = w.note("Write to brien@example.org");
  const auto label = w.note("mailto:carl@x.org is broken");
  const auto spaced = w.note("Code 2211 0042 is old");
  const auto version = w.note("We are at v1.2.3");
  const auto twelve = w.note("KX-12 was shipped");
  const auto thirteen = w.note("KX-13 was shipped");
  for (const auto* text : {"Plate B-MW 1234", "a@b.c is short", "the invoice 22110042-A",
                           "Ana B met us", "version 1.2.30 is out"})
    w.note(text);
  using enum selection_reason;
  CHECK(selected(w, "forget @ana_b", identifier) == std::vector{handle});
  CHECK(selected(w, "forget @ana").empty());
  CHECK(selected(w, "forget ana_silva@x.org", identifier) == std::vector{silva});
  CHECK(selected(w, "forget ana-silva@x.org", identifier) == std::vector{dashed});
  CHECK(selected(w, "forget o'brien@example.org", identifier) == std::vector{brien});
  CHECK(selected(w, "forget brien@example.org", identifier) == std::vector{plain});
  CHECK(selected(w, "forget carl@x.org", identifier) == std::vector{label});
  for (const auto* asked : {"forget 22110042", "forget invoice 2211-0042"})
    CHECK(selected(w, asked, identifier) == std::vector{spaced});
  CHECK(selected(w, "forget version 1.2").empty());
  CHECK(selected(w, "forget 1.2.3", identifier) == std::vector{version});
  CHECK(selected(w, "forget KX-12,KX-13", identifier) == sorted({twelve, thirteen}));
  CHECK(selected(w, "forget that order KX-12 was lost").empty());
  CHECK(selected(w, "forget that KX-12 was lost").empty());
}

TEST_CASE("select: everything about a name takes all of it and none of its like") {
  search_world w;
  const auto one = w.note("Maria Lopez joined the club.");
  const auto two = w.note("I lent my tent to María López.");
  w.note("Maria Keller met Juan Lopez.");
  w.note("Mariana Lopez paints.");
  const auto decision = w.decision("the club pays for Maria Lopez");
  using enum selection_reason;
  CHECK(selected(w, "Forget everything about Maria Lopez.", entity)
        == sorted({one, two, decision}));
  CHECK(selected(w, "Forget everything about Maria Lopez except the tent", entity)
        == sorted({one, decision}));
  CHECK(selected(w, "Forget everything about Maria Weber.").empty());
}

TEST_CASE("select: names are told apart by their endings, and not by their accents") {
  search_world w;
  const auto renee = w.note("A letter for Renée came on Monday.");
  const auto rene = w.note("A letter for René came on Monday.");
  const auto possessive = w.note("Rene's bicycle is blue.");
  CHECK(selected(w, "forget everything about Renee") == std::vector{renee});
  CHECK(selected(w, "forget everything about René") == sorted({rene, possessive}));
}

TEST_CASE("select: an 's is of the name that has it inside, however it is written") {
  search_world w;
  const auto party = w.note("Isabella plans a Valentine's Day party at Hobbs Cafe.");
  const auto gifts = w.note("The gifts of Valentine’s Day are in the red box.");
  const auto hall = w.note("The choir sings at St. Mary's Hall.");
  w.note("Valentine comes on the day of the ferry.");
  w.note("Mary was in the Hall.");
  using enum selection_reason;
  for (const char* apostrophe : {"'", "’"}) {
    const std::string day = std::string("Valentine") + apostrophe + "s Day";
    CHECK(selected(w, "everything about " + day, entity) == sorted({party, gifts}));
    CHECK(selected(w, "the " + day + " party", entity) == std::vector{party});
    CHECK(selected(w, std::string("everything about Mary") + apostrophe + "s Hall", entity)
          == std::vector{hall});
  }
}

TEST_CASE("select: what is excepted stays, each of it, and refused words select nothing") {
  search_world w;
  const auto contract = w.note("The contract with Globex ends in June.");
  const auto invoice = w.note("The invoice of Globex was paid.");
  const auto report = w.note("Globex wants the report in blue.");
  w.note("My passport number is 12345678.");
  w.note("Jane Smith wants tea at four.");
  const auto will = w.note("Will Smith called about the boat.");
  CHECK(selected(w, "everything about Globex except the invoice and the contract")
        == std::vector{report});
  CHECK(selected(w, "forget about Globex, not the invoice") == sorted({contract, report}));
  CHECK(selected(w, "forget Will Smith") == std::vector{will});
  for (const auto* text :
       {"don't delete the Globex contract", "forget everything but the Globex contract",
        "forget everything except my passport number", "forget everything not about Globex"}) {
    INFO(text);
    CHECK(selected(w, text).empty());
  }
  CHECK(selected(w, "the Globex invoice") == std::vector{invoice});
}

TEST_CASE("select: what excepts nothing is said beside what is selected") {
  search_world w;
  w.note("Write to Ana at ana@example.org.");
  w.note("Ana sent the invoice.");
  w.note("Globex sent a report.");
  const auto note_of = [&](const char* text, std::size_t count) {
    INFO(text);
    const auto found = w.target.select(words(text));
    REQUIRE(found);
    CHECK(found->selected.size() == count);
    return found->note;
  };
  CHECK(note_of("everything about Ana except her mail address", 2)
        == "nothing of it has \"mail address\", and nothing stays for that");
  CHECK(note_of("everything about Ana except the invoice", 1).empty());
  CHECK(note_of("everything about Ana except the invoice and the report", 1)
        == "nothing of it has \"report\", and nothing stays for that");
  CHECK(note_of("everything about Ana and Globex except the report and the invoice", 0)
        == "nothing has Globex but what is to stay");
  CHECK(note_of("everything about Ana and Globex except the invoice", 2).empty());
}

TEST_CASE("select: a fact takes no other fact of the same name, number or owner") {
  search_world w;
  const auto blue = w.note("The machine KX-12 is blue.");
  w.note("The ferry leaves at noon from pier four.");
  w.note("Bob moved to Porto.");
  w.note("Carla called.");
  const auto number = w.note("My passport number is 12345678.");
  for (const auto* text :
       {"forget that KX-12 is broken", "forget that the ferry leaves at six from pier nine",
        "forget that Carl moved to Porto", "forget that Carla moved to Porto",
        "forget my passport photo", "everything about the machine and the ferry"}) {
    INFO(text);
    CHECK(selected(w, text).empty());
  }
  CHECK(selected(w, "forget that KX-12 is blue") == std::vector{blue});
  CHECK(selected(w, "forget my passport number") == std::vector{number});
}

TEST_CASE("select: what is one's own is nobody's who has a name, and a fact is of what it names") {
  search_world w;
  w.note("Ana's address is 4 Elm Road.");
  w.note("Ana lives in Porto.");
  w.note("Ben said he lives in Rome.");
  w.note("Ben's favourite colour is blue.");
  for (const auto* asked :
       {"forget my address", "forget where I live", "forget that I live in Porto",
        "forget my favourite colour", "forget that Ben lives in Porto"}) {
    INFO(asked);
    CHECK(selected(w, asked).empty());
  }
  CHECK(selected(w, "forget all my addresses").empty());
  CHECK(selected(w, "forget that Ben does not live in Rome").empty());
  for (const auto* asked :
       {"everything not about Ana", "all notes not about Ana", "what is not about Ana",
        "notes that do not mention Ana", "everything that is not about Ana"}) {
    INFO(asked);
    CHECK(selected(w, asked).empty());
  }
  const auto mine = w.note("My address is 5 Mill Lane.");
  CHECK(selected(w, "forget my address") == std::vector{mine});
  const auto here = w.note("I live in Leeds.");
  CHECK(selected(w, "forget where I live") == std::vector{here});
  // What I said of somebody is about him.
  CHECK(selected(w, "forget what I said about Ana").size() == 2);
}

TEST_CASE("select: what is mine is not that of somebody behind my, nor the other way round") {
  search_world w;
  for (const auto* text :
       {"My cat's name is Tom", "My dog is called Rex", "My mother's birthday is in May",
        "My mother lives in Oslo", "My son is allergic to milk", "Jean-Luc speaks French",
        "My parrot speaks Dutch", "I know German"})
    w.note(text);
  for (const auto* asked :
       {"my dog's name", "my name", "my birthday", "my father's birthday", "that I live in Oslo",
        "that I am allergic to milk", "that Luc speaks French", "that I speak Dutch",
        "where I live", "that my sister knows German"}) {
    INFO(asked);
    CHECK(selected(w, std::string("forget ") + asked).empty());
  }
  CHECK(selected(w, "forget my cat's name").size() == 1);
  CHECK(selected(w, "forget my mother's birthday").size() == 1);
  CHECK(selected(w, "forget that my mother lives in Oslo").size() == 1);
  CHECK(selected(w, "forget that Jean-Luc speaks French").size() == 1);
  CHECK(selected(w, "forget that my parrot speaks Dutch").size() == 1);
  const auto home = w.note("My flat is in Bergen, where I live with my mother");
  CHECK(selected(w, "forget that I live in Bergen") == std::vector{home});
  const auto pizza = w.note("My favourite food is pizza");
  CHECK(selected(w, "forget that I like pizza") == std::vector{pizza});
  const auto both = w.note("My wife and I moved to Tromso");
  CHECK(selected(w, "forget that I moved to Tromso") == std::vector{both});
}

TEST_CASE("select: words that say only when, or that something was said, select nothing") {
  search_world w;
  const auto film = w.note("I saw the film yesterday with Kim");
  const auto soup = w.note("Yesterday's soup was salty");
  const auto plan = w.note("The plan of last week failed");
  w.note("The conversation of 2 weeks ago was said to be recorded in a note");
  for (const auto* text :
       {"forget what I told you yesterday", "please forget everything I said last week",
        "delete everything from last week", "forget everything older than 2 weeks",
        "forget everything that was said today", "delete the newest note",
        "forget our last conversation", "delete my notes from yesterday", "wipe your memory",
        "forget every conversation"}) {
    INFO(text);
    CHECK(selected(w, text).empty());
  }
  const auto note = w.target.select(words("delete everything from last week"))->note;
  CHECK(note.find("say when, and not what") != std::string::npos);
  CHECK(selected(w, "forget yesterday's soup") == std::vector{soup});
  CHECK(selected(w, "forget the film") == std::vector{film});
  CHECK(selected(w, "forget the plan of last week") == std::vector{plan});
}

TEST_CASE("select: of my things what is said of mine, and never what is hers") {
  search_world w;
  const auto car = w.note("My car is blue");
  w.note("I like the car");
  const auto bike = w.note("My old bike is blue");
  w.note("bike!");
  w.note("Her name's Coco");
  const auto dog = w.note("I walked the dog");
  CHECK(selected(w, "forget my car") == std::vector{car});
  CHECK(selected(w, "forget my bike") == std::vector{bike});
  CHECK(selected(w, "forget my name").empty());
  CHECK(selected(w, "forget my dog") == std::vector{dog}); // nobody else's, as far as is said
}

TEST_CASE("select: a plain fact is not its denial, and a denial is of what it denies") {
  search_world w;
  for (const auto* text : {"I never smoke", "I never eat meat", "Fred has no dog", "Ivy can't swim",
                           "The shop is not open on Monday", "KX-12 is not blue"})
    w.note(text);
  for (const auto* asked :
       {"that I smoke", "that I never eat fish", "that Fred has a dog", "that Ivy can swim",
        "that the shop is open on Monday", "that KX-12 is blue"}) {
    INFO(asked);
    CHECK(selected(w, std::string("forget ") + asked).empty());
  }
  const auto cigars = w.note("I smoke cigars");
  const auto tea = w.note("I drink tea, but never coffee");
  CHECK(selected(w, "forget that I smoke") == std::vector{cigars});
  CHECK(selected(w, "forget that I never smoke").size() == 1);
  CHECK(selected(w, "forget that I never eat meat").size() == 1);
  CHECK(selected(w, "forget that I drink tea") == std::vector{tea});
  CHECK(selected(w, "forget that Ivy cannot swim").size() == 1);
}

TEST_CASE("select: a fact is one memory, and what says the same") {
  search_world w;
  const auto fact = w.note("Clara works as a nurse in Leeds.");
  const auto again = w.note("Clara works as a nurse in Leeds!");
  w.note("Clara has two cats.");
  w.note("Ben works as a nurse in Leeds.");
  CHECK(selected(w, "Forget that Clara works as a nurse", selection_reason::meaning)
        == sorted({fact, again}));
  CHECK(selected(w, "Forget that I sold my violin").empty());
  CHECK(selected(w, "Forget that Dora works as a nurse").empty());
}

TEST_CASE("select: a thing is all that has its words, but what is somebody's is one") {
  search_world w;
  const auto ends = w.note("The contract with Globex ends in June.");
  const auto worth = w.note("Globex pays, by contract, five thousand.");
  const auto mine = w.note("My running goal is ten kilometres.");
  w.note("Tess has a running goal of a marathon.");
  using enum selection_reason;
  CHECK(selected(w, "forget the Globex contract", entity) == sorted({ends, worth}));
  CHECK(selected(w, "Globex", entity) == sorted({ends, worth}));
  CHECK(selected(w, "delete my running goal", meaning) == std::vector{mine});
  // Where the name is there and the thing is not, nothing of the name's is taken.
  CHECK(selected(w, "forget everything about Globex's summer party").empty());
}

TEST_CASE("supersede_matching: the new value may be known, and the subject is whose fact it is") {
  search_world w;
  const auto old = w.note("Bruno works at Northwind.");
  w.note("Carla works at Globex.");
  w.note("Globex wants the report in blue.");
  supersede_matching_request r;
  r.write = statement("Bruno now works at Globex.");
  r.dry_run = true;
  auto done = w.target.supersede_matching(r);
  REQUIRE(done);
  CHECK(ids(done->superseded) == std::vector{old});
  CHECK_FALSE(done->uri);
  const auto home = w.note("I live in Oslo.");
  w.note("I flew to Lisbon in May.");
  r.write = statement("I live in Lisbon now.");
  CHECK(ids(w.target.supersede_matching(r)->superseded) == std::vector{home});
  w.note("My address is 5 Elm Road.");
  w.note("You can walk the 12 miles along the lane, close to the road.");
  r.write = statement("My address is now 12 Mill Lane.");
  const auto moved = w.target.supersede_matching(r);
  REQUIRE(moved->superseded.size() == 1);
  CHECK(moved->superseded.front().text == "My address is 5 Elm Road.");
  r.write = statement("I bought a new bicycle.");
  w.note("Carla bought a tent.");
  w.note("The new accountant has a bell.");
  CHECK(w.target.supersede_matching(r)->superseded.empty());
  r.write.data.clear();
  CHECK(w.target.supersede_matching(r).error().at == "write.data.statement");
}

TEST_CASE("supersede_matching: what is true beside what is new stays, and is named") {
  search_world w;
  const auto number = w.note("My passport number is 12345678.");
  w.note("Ana works at the harbour office.");
  w.note("The window in the kitchen is broken.");
  w.note("Carla bought a house in Porto.");
  supersede_matching_request r;
  r.dry_run = true;
  for (const auto* text : {"My passport expires in 2031.", "The harbour fee is seven euros.",
                           "The kitchen is painted blue.", "Dora bought a house in Lisbon."}) {
    INFO(text);
    r.write = statement(text);
    const auto done = w.target.supersede_matching(r);
    REQUIRE(done);
    CHECK(done->superseded.empty());
    CHECK(done->note.starts_with("nothing is surely replaced; the nearest is mneme://Note/"));
  }
  r.write = statement("My passport expires in 2031.");
  CHECK(w.target.supersede_matching(r)->note.contains(to_string(w.uri(number))));
}

TEST_CASE("select: only what is live, the asker's own, and of the types and tags asked for") {
  search_world w;
  auto mine = statement("the harbour fee is five");
  mine.actor = "ana";
  mine.tags = {"sea"};
  const auto own = w.put(mine);
  auto theirs = statement("the harbour fee is six");
  theirs.actor = "ben";
  theirs.visibility = visibility::actor_public;
  const auto bens = w.put(theirs);
  const auto chunk = w.chunk("a.md", "the harbour fee is seven");
  const auto decision = w.decision("the harbour fee is eight");
  auto r = words("everything about the harbour fee");
  const auto select = [&] { return ids(w.target.select(r)->selected); };
  CHECK(select() == sorted({own, bens, decision}));
  r.types = {memory_type::chunk, memory_type::decision};
  CHECK(select() == sorted({chunk, decision}));
  r.types.clear();
  r.tags = {"sea"};
  CHECK(select() == std::vector{own});
  r.tags.clear();
  r.actor = "ana"; // sees Ben's, and takes it from nobody
  CHECK(select() == std::vector{own});
  r.actor.reset();
  w.tombstone(decision);
  CHECK(select() == sorted({own, bens}));
  r.at_seq = seq_no{4};
  CHECK(select() == sorted({own, bens, decision}));
}

TEST_CASE(
    "select: nothing is cut off: all that says the same goes, and too many words are refused") {
  search_world w;
  for (int i = 0; i < 120; ++i) w.note("My old bicycle is red.");
  CHECK(selected(w, "forget that my old bicycle is red", selection_reason::meaning).size() == 120);
  auto capped = words("forget that my old bicycle is red");
  capped.limit = 100;
  CHECK(w.target.select(capped).error().code == errc::limit_exceeded);

  std::string list = "forget KX-100";
  for (int i = 101; i < 200; ++i) {
    list += " and KX-" + std::to_string(i);
    if (i == 150) {
      w.note("The part KX-150 is lost.");
      CHECK(selected(w, list, selection_reason::identifier).size() == 1);
    }
    if (i == 163) CHECK(w.target.select(words(list)));
  }
  const auto refused = w.target.select(words(list));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::limit_exceeded);
  CHECK(refused.error().at == "words");
}

TEST_CASE("select: what others wrote keeps nothing from being selected") {
  search_world w;
  auto mine = statement("My home address is 5 Elm Road in Springfield.");
  mine.actor = "ana";
  const auto own = w.put(mine);
  for (int i = 0; i < 60; ++i) {
    auto theirs = statement("my home address");
    theirs.actor = "bob";
    theirs.visibility = visibility::actor_public;
    w.put(theirs);
  }
  auto r = words("forget my home address");
  r.actor = "ana";
  CHECK(ids(w.target.select(r)->selected) == std::vector{own});
}

TEST_CASE("select: very long words are refused, and a new statement is read as it begins") {
  search_world w;
  std::string many = "forget that";
  while (many.size() < 60'000) many += " 'a";
  CHECK(w.target.select(words(many)).error().code == errc::limit_exceeded);
  auto r = words(many);
  r.states_new = true;
  CHECK(w.target.select(r));
}

TEST_CASE("select: more than the limit is refused, and so is what asks nothing") {
  search_world w;
  w.note("tea at four");
  w.note("tea at five");
  auto r = words("everything about tea");
  r.limit = 1;
  auto found = w.target.select(r);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == errc::limit_exceeded);
  CHECK(found.error().at == "limit");
  for (const auto* text : {" ", "...", "\"…\"", "?! ..."}) {
    INFO(text);
    const auto refused = w.target.select(words(text));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::empty_query);
    CHECK(refused.error().at == "words");
  }
  w.note("I like it");
  for (const auto* text : {"forget everything", "forget it", "delete all notes", "forget",
                           "forget all of this please"}) {
    INFO(text);
    found = w.target.select(words(text));
    REQUIRE(found);
    CHECK(found->selected.empty());
    CHECK(found->note == "the words say not what to forget: say what it is about");
  }
  CHECK(w.target.select(words("\xFF")).error().code == errc::bad_utf8);
}

TEST_CASE("select: of a list all that each part selects, or nothing") {
  search_world w;
  const auto one = w.note("Globex wants the report in blue.");
  const auto two = w.note("The contract with Initech ends in June.");
  const auto invoice = w.note("Initech has not paid the invoice.");
  const auto shop = w.note("The socks are from Marks and Spencer.");
  const auto marks = w.note("Marks is the new gardener.");
  const auto spencer = w.note("Spencer asked for a ladder.");
  using enum selection_reason;
  CHECK(selected(w, "forget everything about Globex and Initech", entity)
        == sorted({one, two, invoice}));
  CHECK(selected(w, "forget everything about Globex and Initech except the invoice", entity)
        == sorted({one, two}));
  CHECK(selected(w, "delete the Globex report and the Initech contract", entity)
        == sorted({one, two}));
  // Nobody knows what is meant by one of them, or they are one name.
  CHECK(selected(w, "forget everything about Globex and Hooli").empty());
  CHECK(selected(w, "forget everything about Marks and Spencer").empty());
  CHECK(selected(w, "forget everything about \"Marks and Spencer\"", identifier)
        == std::vector{shop});
  CHECK(selected(w, "forget everything about Marks", entity) == sorted({shop, marks}));
  const auto either = w.target.select(words("forget all notes that mention Spencer or Globex"));
  REQUIRE(either);
  CHECK(ids(either->selected) == sorted({one, shop, spencer}));
  for (const auto& m : either->selected) CHECK((m.because == "Spencer" || m.because == "Globex"));
}

TEST_CASE("select: a list that a memory may have as one name selects nothing") {
  search_world w;
  for (const auto* text : {"The socks are from Marks & Spencer.", "Marks is the new gardener.",
                           "Spencer asked for a ladder.", "We met at Paris in Texas.",
                           "Paris is cold in May.", "Texas is far.", "Globex met with Initech.",
                           "Globex paid.", "Hooli is near Portland, Oregon"})
    w.note(text);
  const auto note_of = [&](const char* text) {
    INFO(text);
    const auto found = w.target.select(words(text));
    REQUIRE(found);
    CHECK(found->selected.empty());
    return found->note;
  };
  CHECK(note_of("forget everything about Marks and Spencer").contains("\"Marks and Spencer\""));
  CHECK(note_of("forget everything about Paris and Texas").contains("may be one name"));
  CHECK(note_of("forget all about Globex, Marks and Spencer").contains("may be one name"));
  CHECK(note_of("forget all about Portland, Oregon and Globex").contains("may be one name"));
  for (const auto* text :
       {"forget everything about Paris, Texas", "forget everything about Globex, Initech",
        "forget everything about Globex , Initech"})
    CHECK(note_of(text).contains("list"));
  // Words between them make them two.
  CHECK(selected(w, "forget everything about Globex and Initech").size() == 2);
}

TEST_CASE("select: names with a sign between them are one, and must be had whole") {
  search_world w;
  w.note("Initech wants tea.");
  w.note("Globex paid.");
  w.note("Hooli called.");
  const auto shop = w.note("The socks are from Marks and Spencer.");
  for (const auto* sign : {"&", "+", "/"})
    CHECK(selected(w, std::string("forget all about Globex ") + sign + " Initech").empty());
  CHECK(selected(w, "forget everything about Marks & Spencer") == std::vector{shop});
}

TEST_CASE("select: a family name before a given one is no list") {
  search_world w;
  w.note("Smith went home.");
  w.note("John is late.");
  w.note("Globex paid.");
  CHECK(selected(w, "forget everything about Smith, John and Globex").size() == 3);
  w.note("John Smith paints.");
  const auto found = w.target.select(words("forget everything about Smith, John and Globex"));
  REQUIRE(found);
  CHECK(found->selected.empty());
  CHECK(found->note.contains("\"Smith, John\" may be one name"));
}

TEST_CASE("select: the note on a list says what nothing has") {
  search_world w;
  w.note("Globex sent the contract.");
  w.note("Initech wants tea.");
  w.note("Ana Lima called.");
  const auto note_of = [&](const char* text) {
    INFO(text);
    const auto found = w.target.select(words(text));
    REQUIRE(found);
    CHECK(found->selected.empty());
    return found->note;
  };
  CHECK(note_of("forget the Globex contract and the Initech contract in 2019")
        == "nothing has all of \"Initech contract in 2019\"");
  CHECK(note_of("forget everything about Globex and Initech except the tea")
        == "nothing has Initech but what is to stay");
  CHECK(note_of("forget everything about Globex and Ana Weber.") == "nothing has Ana Weber");
}

TEST_CASE("select: what others wrote crowds nothing of one's own out") {
  search_world w;
  std::vector<mutation> many;
  for (int i = 0; i < 1200; ++i) {
    write_request r = statement("The harbour fee is five.");
    r.actor = "ben";
    r.visibility = visibility::actor_public;
    many.emplace_back(std::move(r));
  }
  REQUIRE(w.target.write_batch(std::move(many)));
  write_request own = statement("Among many other things that she wrote down on that long grey day "
                                "in autumn Ana noted that a fee of five is due in the harbour.");
  own.actor = "ana";
  const auto written = w.target.apply(own);
  REQUIRE(written);
  select_request r = words("forget that the harbour fee is five");
  r.actor = "ana";
  const auto found = w.target.select(r);
  REQUIRE(found);
  CHECK(ids(found->selected) == std::vector{written->uri->id});
}

TEST_CASE("forget_matching: all in one batch, and a dry run changes nothing") {
  search_world w;
  const auto one = w.note("Globex wants the report in blue.");
  const auto two = w.note("The contract with Globex ends in June.");
  const auto stays = w.note("Initech wants the report in red.");
  const auto root = w.target.root()->overall;
  forget_matching_request r;
  r.select = words("Forget everything about Globex");
  r.reason = "over";
  r.dry_run = true;
  auto done = w.target.forget_matching(r);
  REQUIRE(done);
  CHECK(ids(done->selected) == sorted({one, two}));
  CHECK(done->forgotten == 0);
  CHECK(w.target.root()->overall == root);
  r.dry_run = false;
  done = w.target.forget_matching(r);
  REQUIRE(done);
  CHECK(done->forgotten == 2);
  CHECK(done->seq == w.target.published());
  const auto gone = w.target.get(one);
  REQUIRE(gone);
  REQUIRE(gone->head->tombstone);
  CHECK(gone->head->tombstone->reason == "over");
  CHECK(same_ids(w.search("report"), {stays}));
  done = w.target.forget_matching(r);
  REQUIRE(done);
  CHECK(done->selected.empty());
  CHECK_FALSE(done->note.empty());
}

TEST_CASE("forget_matching: what somebody changed meanwhile is selected again") {
  search_world w;
  const auto id = w.note("Globex wants the report in blue.");
  const auto found = w.target.select(words("everything about Globex"));
  REQUIRE(found);
  update_request u;
  u.uri = w.uri(id);
  u.replace = text_replacement{"Globex wants", "Initech wants"};
  REQUIRE(w.target.apply(u));
  forget_matching_request r;
  r.select = words("everything about Globex");
  // As an actor of a host finds out: the batch of what was selected before is refused whole.
  const auto late = w.target.write_batch(forgetting_of(r, *found));
  REQUIRE_FALSE(late);
  CHECK(late.error().code == errc::version_conflict);
  CHECK(late.error().at == "items[0].expect_version");
  const auto done = w.target.forget_matching(r);
  REQUIRE(done);
  CHECK(done->selected.empty());
  CHECK(w.search("report").results.size() == 1);
}

TEST_CASE("supersede_matching: the new memory, its edges and tombstones in one command") {
  search_world w;
  const auto old = w.note("My address is 5 Elm Road.");
  const auto other = w.note("The office's address is 3 Quay West.");
  supersede_matching_request r;
  r.write = statement("My address is now 12 Oak Street.");
  r.select = words("that my address is 5 Elm Road");
  const seq_no before = w.target.published();
  auto done = w.target.supersede_matching(r);
  REQUIRE(done);
  REQUIRE(done->uri);
  CHECK(ids(done->superseded) == std::vector{old});
  CHECK(done->seq.value == before.value + 3);
  const auto gone = w.target.get(old);
  REQUIRE(gone->head->tombstone);
  CHECK(gone->head->tombstone->cause == tombstone_cause::superseded);
  CHECK(gone->head->tombstone->superseded_by == done->uri->id);
  const auto edge = w.target.get_edge({done->uri->id, edge_type::supersedes, old});
  REQUIRE(edge);
  CHECK_FALSE(edge->tombstoned);
  CHECK(same_ids(w.search("address"), {done->uri->id, other}));

  // Where nothing is meant the memory is written, and takes the place of nothing.
  r.write = statement("The kettle is blue.");
  r.select = {};
  done = w.target.supersede_matching(r);
  REQUIRE(done);
  CHECK(done->superseded.empty());
  CHECK(done->uri.has_value());
}

TEST_CASE(
    "write supersedes: what is not there in that version is refused, and nothing is written") {
  search_world w;
  const auto old = w.note("tea at four");
  const auto uri = w.uri(old);
  auto next = statement("tea at five");
  next.supersedes = {{uri.type, old, 2}};
  auto done = w.target.apply(next);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == errc::version_conflict);
  CHECK(done.error().at == "supersedes[0]");
  next.supersedes = {uri};
  REQUIRE(w.target.apply(next));
  done = w.target.apply(next);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == errc::tombstoned);
  CHECK(w.search("tea").results.size() == 1);
}

TEST_CASE("update replace: one span, and everything else stays") {
  search_world w;
  auto r = statement("The ferry leaves at noon from pier four.");
  r.confidence = 0.5;
  r.forms.short_form = "ferry from pier four";
  r.valid_until = timestamp{test_start.ns + one_day_ns};
  const auto id = w.put(r);
  update_request u;
  u.uri = w.uri(id);
  u.replace = text_replacement{"pier four", "pier six"};
  REQUIRE(w.target.apply(u));
  const auto now = w.target.get(id);
  CHECK(now->head->current_version == 2);
  CHECK(std::get<std::string>(now->version->data.at("statement"))
        == "The ferry leaves at noon from pier six.");
  CHECK(now->version->forms.short_form == "ferry from pier six");
  CHECK(now->version->confidence == 0.5);
  CHECK(now->version->valid_until == r.valid_until);

  const auto refusal = [&](text_replacement span) {
    u.replace = std::move(span);
    auto done = w.target.apply(u);
    REQUIRE_FALSE(done);
    return std::pair(done.error().code, done.error().at);
  };
  CHECK(refusal({"pier four", "x"}) == std::pair(errc::not_found, std::string("replace.old")));
  CHECK(refusal({"e", "x"}) == std::pair(errc::bad_value, std::string("replace.old")));
  CHECK(refusal({"pier", "x", "title"})
        == std::pair(errc::not_found, std::string("replace.field")));
  CHECK(refusal({"", "x"}).first == errc::missing_field);
  CHECK(refusal({"The ferry leaves at noon from pier six.", ""}).first == errc::missing_field);
  u.data["statement"] = std::string("both");
  CHECK(refusal({"pier", "x"}).first == errc::bad_value);
}

TEST_CASE("update replace: sees what the same batch has made of the memory") {
  search_world w;
  auto r = statement("one two");
  r.id = memory_id{};
  r.id->bytes[15] = 7;
  const auto change = [&](std::string from, std::string to) {
    update_request u;
    u.uri = {memory_type::note, *r.id, 1};
    u.replace = text_replacement{std::move(from), std::move(to)};
    return u;
  };
  auto done = w.target.write_batch({r, change("one", "three"), change("two", "four")});
  REQUIRE(done);
  CHECK(std::get<std::string>(w.target.get(*r.id)->version->data.at("statement")) == "three four");
  done = w.target.write_batch({change("three", "five"), change("three", "six")});
  REQUIRE_FALSE(done);
  CHECK(done.error().at == "items[1].replace.old");
}

TEST_CASE("select: what is written otherwise is something else, and signs count") {
  search_world w;
  const auto plus = w.note("The engine is in C++.");
  const auto sharp = w.note("The plugin is in C#");
  const auto plain = w.note("The driver is in C, for speed.");
  const auto dotted = w.note("The server runs on .NET 8.");
  w.note("The net is down.");
  CHECK(selected(w, "forget everything about C++") == std::vector{plus});
  CHECK(selected(w, "forget everything about C#") == std::vector{sharp});
  CHECK(selected(w, "forget everything about C") == std::vector{plain});
  CHECK(selected(w, "forget everything about .NET") == std::vector{dotted});
  const auto ana = w.note("Ana's boat is blue.");
  const auto mail = w.note("Write to ana.maria@example.org about the fees.");
  w.note("The photos are in /srv/ana/x.txt");
  CHECK(selected(w, "forget everything about Ana") == std::vector{ana});
  CHECK(selected(w, "delete ana.maria@example.org") == std::vector{mail});
}

TEST_CASE("select: names that are words, and scripts without spaces") {
  search_world w;
  const auto will = w.note("Will plays the flute.");
  const auto met = w.note("I met Will in Oslo.");
  const auto phone = w.note("AT&T raised the fee.");
  w.note("Will you be there? I will.");
  w.note("I will be at the pier.");
  CHECK(selected(w, "forget everything about Will") == sorted({will, met}));
  CHECK(selected(w, "forget everything about AT&T") == std::vector{phone});
  const auto lives = w.note("彼は東京に住んでいる");
  const auto chinese = w.note("张伟喜欢北京的冬天");
  CHECK(selected(w, "forget everything about 東京") == std::vector{lives});
  CHECK(selected(w, "forget everything about 北京") == std::vector{chinese});
  CHECK(selected(w, "forget everything about 京都").empty());
  const auto friends = w.note("Łukasz likes jazz.");
  CHECK(selected(w, "forget everything about Lukasz") == std::vector{friends});
}

TEST_CASE("select: overviews of imports stay, and what a chunk alone has is said") {
  search_world w;
  auto r = statement("Globex: 12 messages");
  r.tags = {std::string(overview_tag)};
  const auto overview = w.put(r);
  const auto note = w.note("Globex pays in June.");
  CHECK(selected(w, "forget everything about Globex") == std::vector{note});
  auto asked = words("forget everything about Globex");
  asked.tags = {std::string(overview_tag)};
  CHECK(ids(w.target.select(asked)->selected) == std::vector{overview});
  w.chunk("a.md", "Write to ana@example.org");
  const auto found = w.target.select(words("delete ana@example.org"));
  REQUIRE(found);
  CHECK(found->selected.empty());
  CHECK(found->note == "only Chunks have ana@example.org: ask for that type to forget them");
  CHECK(w.target.select(words("delete ben@example.org"))->note == "nothing has ben@example.org");
}

TEST_CASE(
    "select: a topic is about its title and its summary, and not about what a field mentions") {
  search_world w;
  const auto topic = [&](std::string title, std::string field, std::string value) {
    ingest_request r;
    r.title = std::move(title);
    r.fields.emplace_back();
    r.fields.back().name = std::move(field);
    r.fields.back().value = {std::move(value)};
    return w.target.apply(r)->uri->id;
  };
  topic("Isabella Rossi", "plans", "a party on Valentine's Day, write to bella@example.org");
  const auto note_of = [&](const char* text) {
    const auto found = w.target.select(words(text));
    REQUIRE(found);
    CHECK(found->selected.empty());
    return found->note;
  };
  CHECK(note_of("everything about Valentine's Day")
        == "only fields of 1 topic have Valentine's Day: erase or revise the field");
  CHECK(note_of("delete bella@example.org")
        == "only fields of 1 topic have bella@example.org: erase or revise the field");
  const auto day = topic("Valentine's Day", "date", "14 February");
  const auto note = w.note("The gifts of Valentine's Day are in the red box.");
  CHECK(selected(w, "everything about Valentine's Day", selection_reason::entity)
        == sorted({day, note}));
  CHECK(w.target.select(words("everything about Valentine's Day"))->note
        == "also in fields of 1 topic, which stays: erase or revise the field");
  const auto bob = topic("Robert Smith", "aliases", "Bob Smith");
  CHECK(selected(w, "everything about Bob Smith", selection_reason::entity) == std::vector{bob});
}

TEST_CASE("supersede_matching: what several may be is in doubt") {
  search_world w;
  w.note("Bruno works at Northwind.");
  w.note("Bruno works at Initech.");
  supersede_matching_request r;
  r.dry_run = true;
  r.write = statement("Bruno works at Globex.");
  const auto done = w.target.supersede_matching(r);
  REQUIRE(done);
  CHECK(done->superseded.empty());
  CHECK(done->note.starts_with("several may be replaced"));
}

TEST_CASE("select: who has another name is meant by it, too") {
  search_world w;
  ingest_request r;
  r.title = "Robert Smith";
  r.fields.emplace_back();
  r.fields.back().name = "aliases";
  r.fields.back().value = {std::string("Bob Smith, Bobby")};
  const auto topic = w.target.apply(r)->uri->id;
  const auto tea = w.note("Robert Smith drinks oolong at four");
  const auto home = w.note("Bob Smith lives in Porto");
  const auto boat = w.note("The boat of Bobby is blue");
  w.note("Robert Jones lives in Porto");
  w.note("Smith, that is Ana, and Robert drink oolong");
  using enum selection_reason;
  CHECK(sorted(selected(w, "forget everything about Bob Smith", entity))
        == sorted({topic, tea, home, boat}));
  CHECK(sorted(selected(w, "forget everything about Bobby", entity))
        == sorted({topic, tea, home, boat}));
  CHECK(selected(w, "forget that Bob Smith drinks oolong", meaning) == std::vector{tea});
  CHECK(sorted(selected(w, "forget everything about Bobby, except what is in Porto"))
        == sorted({topic, tea, boat}));
  w.tombstone(topic);
  CHECK(selected(w, "forget everything about Bob Smith", entity) == std::vector{home});
}
