// The absolute measure of a match, and what is answered where there is no good one.
// Of: query/search/search_merge.cpp, query/search/search_circumstances.cpp
#include "tests/query/search/search_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

search_request asking(std::string query, double floor) {
  search_request r;
  r.query = std::move(query);
  r.similarity_floor = floor;
  return r;
}

memory_id say(search_world& w, std::string statement, const char* who) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(statement);
  r.tags = {std::string("speaker:") + who};
  return w.put(std::move(r));
}

} // namespace

TEST_CASE("a match says how much of the question a text has") {
  search_world w("vector=0,text=1,least_match=0.25");
  for (const auto* text : {"green tea is served", "black tea is served", "boats leave at noon"})
    w.note(text);
  const auto whole = w.search("green tea is served");
  REQUIRE(whole.results.size() == 2);
  CHECK(whole.results[0].match > 0.9);
  CHECK(whole.results[1].match < whole.results[0].match);
  CHECK(whole.coverage.best_match == whole.results[0].match);
  // The best of a window has the score 1 whatever it is; its match tells.
  const auto little = w.search("noon zeppelin schedules");
  REQUIRE(little.results.size() == 1);
  CHECK(little.results[0].score == 1);
  CHECK(little.results[0].match < 0.5);
}

TEST_CASE("what nobody wrote about has no good match, and an empty answer") {
  search_world w("vector=0,text=1,least_match=0.25");
  for (const auto* text : {"green tea is served", "the boats leave at noon"}) w.note(text);
  const std::string query = "zeppelin schedules of the baltic archipelago";
  const auto answer = w.search(asking(query, 0.1));
  CHECK(answer.results.empty());
  CHECK(answer.coverage.memory.candidates == 1);
  CHECK(answer.coverage.memory.below_floor == 1);
  REQUIRE_FALSE(answer.coverage.notes.empty());
  CHECK(answer.coverage.notes.back().starts_with("no good match"));
  const auto shown = w.search(asking(query, 0));
  CHECK(shown.results.size() == 1);
  CHECK(shown.results[0].match < 0.25);
}

TEST_CASE("a leg without a good match brings nothing beside one that has it") {
  search_world w("", "hash:384");
  const auto tea = w.note("The user likes green tea in the morning");
  w.note("Ana's birthday is on 3 May");
  w.note("The user prefers dark mode");
  const auto deploy =
      w.chunk("k.md", "Run kubectl apply to deploy the gateway. Rollback with helm.");
  CHECK(ids_of(w.search(asking("kubectl", 0.1))) == std::vector{deploy});
  CHECK(ids_of(w.search(asking("how do I deploy the gateway", 0.1))) == std::vector{deploy});
  const auto liked = w.search(asking("what does the user like in the morning", 0.1));
  REQUIRE_FALSE(liked.results.empty());
  CHECK(ids_of(liked).front() == tea);
  CHECK(std::ranges::count(ids_of(liked), deploy) == 0);
  CHECK(liked.coverage.content.below_floor == liked.coverage.content.candidates);
  // Without a floor all is shown that was found.
  CHECK(w.search(asking("kubectl", 0)).results.size() > 1);
}

TEST_CASE("words of one's own spelling are matched by the embedder") {
  search_world w("", "hash:384");
  w.note("the harbour is frozen");
  w.note("green tea is served");
  CHECK_FALSE(w.search(asking("frozenn harbor", 0.1)).results.empty());
  CHECK(w.search(asking("quantum chromodynamics", 0.1)).results.empty());
}

TEST_CASE("a request has its own weights") {
  search_world w("vector=0,text=1,least_match=0.25");
  w.note("green tea is served");
  search_request r = asking(
      "zeppelin tea schedules of the baltic archipelago and its northern steamship companies", 0.1);
  CHECK(w.search(r).results.empty());
  r.weights = "least_match=0";
  CHECK(w.search(r).results.size() == 1);
  for (const auto& [text, code] :
       {std::pair{"least_match=2", errc::out_of_range}, std::pair{"tea=1", errc::bad_value},
        std::pair{"text", errc::bad_value}, std::pair{"text=0", errc::out_of_range}}) {
    r.weights = text;
    CHECK(w.refusal(r) == code);
  }
}

TEST_CASE("a request has its own now") {
  search_world w("vector=0,text=1,dates=0.4");
  w.note("green tea is served");
  search_request r = asking("tea of yesterday", 0);
  r.explain = true;
  CHECK(w.search(r).results.at(0).parts->dates == 0);
  r.now = timestamp{test_start.ns + one_day_ns};
  CHECK(w.search(r).results.at(0).parts->dates == 1);
  r.now = timestamp{-1};
  CHECK(w.refusal(r) == errc::bad_time);
}

TEST_CASE("a question of a time alone is answered by what is of that time, whatever its words") {
  search_world w("", "hash");
  const auto said = [&](std::string statement, const char* who) {
    return say(w, std::move(statement), who);
  };
  const auto old = said("what did Ana do, and what did Ana talk about", "Ben");
  w.pass(40);
  const auto hers = said("seven boats left the harbour", "Ana");
  const auto his = said("green tea is out", "Ben");
  w.pass(1);
  for (int i = 0; i < 60; ++i) said("what did Ana do, and what happened", "Ben");
  search_request r;
  r.query = "what did Ana do yesterday";
  CHECK(ids_of(w.search(r)) == std::vector{hers});
  r.query = "what happened yesterday";
  auto both = ids_of(w.search(r));
  std::ranges::sort(both);
  auto expected = std::vector{hers, his};
  std::ranges::sort(expected);
  CHECK(both == expected);
  CHECK(w.search(r).coverage.memory.searched == 2);
  for (const auto& hit : w.search(r).results) CHECK(hit.match == 1);
  r.query = "yesterday";
  CHECK(same_ids(w.search(r), {hers, his}));
  // Where nothing is of the time, or a word tells more, all is searched.
  r.query = "what did Ana do 3 years ago";
  CHECK(w.search(r).coverage.memory.searched == 63);
  r.query = "what tea did Ana drink yesterday";
  CHECK(w.search(r).coverage.memory.searched == 63);
  CHECK(ids_of(w.search(r)).front() == his);
  CHECK(std::ranges::count(ids_of(w.search(r)), old) <= 1);
}

TEST_CASE("a question of a speaker alone is answered by what he said, whatever its words") {
  search_world w("", "hash:384");
  const auto said = [&](std::string statement, const char* who) {
    return say(w, std::move(statement), who);
  };
  said("I planted roses.", "June");
  const auto car = said("I sold the car.", "Bob");
  said("We painted the fence.", "June");
  const auto of_bob = w.note("Bob has a birthday in May");
  const auto asked = [&](std::string query) { return w.search(asking(std::move(query), 0.1)); };
  for (const auto* query : {"What did Bob say?", "tell me about Bob", "Bob"})
    CHECK(same_ids(asked(query), {car, of_bob}));
  CHECK(asked("What did Bob say?").coverage.best_match == 1);
  // Who says something has no need to say his name.
  const auto sold = asked("which car did Bob sell");
  REQUIRE_FALSE(sold.results.empty());
  CHECK(ids_of(sold).front() == car);
  CHECK(sold.results.front().match > 0.5);
  CHECK(asked("What did Carla say?").results.empty());
  // A name that is a month is no time where it is all that is asked, and no name in one.
  CHECK(asked("June").results.size() == 2);
  said("Hello there.", "assistant");
  CHECK(asked("what did the assistant say").results.size() == 1);
  const auto mine = said("Hello to you.", "user");
  CHECK(asked("what did the assistant tell me").results.size() == 1);
  CHECK(ids_of(asked("what did I tell the assistant")) == std::vector{mine});
  // Nor need a role, where a question names it in place of somebody.
  const auto cape = said("Ushuaia is at the end of the world.", "assistant");
  const auto told = asked("what did the assistant recommend about Ushuaia?");
  REQUIRE_FALSE(told.results.empty());
  CHECK(ids_of(told).front() == cape);
  CHECK(told.results.front().match > 0.5);
  // The newest of many.
  for (int i = 0; i < 200; ++i) said("It goes on.", "Ana");
  w.pass(1);
  const auto newest = said("It goes on.", "Ana");
  const auto hers = w.search(asking("what did Ana say", 0));
  CHECK(hers.coverage.memory.candidates == 50);
  CHECK(ids_of(hers).front() == newest);
}

TEST_CASE("what an apostrophe joins to a word of a question is no word of it") {
  search_world w("vector=0,text=1,least_match=0.25");
  const auto cloudy = w.note("It's a cloudy day.");
  const auto deploy = w.note("The deploy day is near.");
  const auto answer = w.search(asking("Valentine's day", 0.1));
  for (const auto& hit : answer.results) CHECK(hit.match == Approx(0.5));
  CHECK(same_ids(w.search(asking("Valentine's", 0)), {}));
  // A letter by itself is one.
  CHECK(same_ids(w.search(asking("s", 0)), {cloudy}));
  CHECK(same_ids(w.search(asking("deploy’s", 0)), {deploy}));
}

TEST_CASE("what was said at a bound is no answer for that") {
  search_world w("vector=0,text=1,least_match=0.25,dates=0.4");
  w.note("Caroline paints boats");
  for (const auto& [question, dates] :
       {std::pair{"in January 2024 Caroline", 1}, std::pair{"before January 2024 Caroline", 0}}) {
    auto r = asking(question, 0);
    r.explain = true;
    const auto answer = w.search(r);
    REQUIRE(answer.results.size() == 1);
    CHECK(answer.results.front().parts->dates == dates);
  }
}

TEST_CASE("an answer to a question without words says so") {
  search_world w("vector=0,text=1,least_match=0.25");
  w.note("Caroline paints boats");
  for (const char* question : {"🚲", "!!!"}) {
    const auto answer = w.search(asking(question, 0.1));
    CHECK(answer.results.empty());
    CHECK(std::ranges::any_of(answer.coverage.notes, [](const auto& note) {
      return note.starts_with("the query has no words");
    }));
  }
  for (const auto& note : w.search(asking("boats", 0.1)).coverage.notes)
    CHECK_FALSE(note.starts_with("the query has no words"));
}
