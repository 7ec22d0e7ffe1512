// What a field held until some time does not rank, nor is it told, with what holds now.
// Of: query/search/search_past_topics.cpp, query/past_topics.cpp
#include <catch2/catch.hpp>

#include "tests/query/search/search_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

timestamp after(std::int64_t n) {
  return {test_start.ns + n * one_day_ns};
}

field_input held(std::string name, std::string value, std::optional<timestamp> from = {},
                 std::optional<timestamp> until = {}) {
  field_input f;
  f.name = std::move(name);
  f.value = {std::move(value)};
  f.valid_from = from;
  f.valid_until = until;
  return f;
}

class topic_search : public search_world {
public:
  explicit topic_search(std::string embedder = "none")
      : search_world("vector=0,text=1", std::move(embedder)) {}

  memory_id topic(std::string title, std::vector<field_input> fields) {
    ingest_request r{};
    r.placement = ingest_placement::new_topic;
    r.title = std::move(title);
    r.fields = std::move(fields);
    auto done = target.apply(std::move(r));
    if (!done) FAIL(done.error().message);
    return done->uri->id;
  }
  std::string told(find_request r) {
    auto found = target.find(std::move(r));
    if (!found) FAIL(found.error().message);
    REQUIRE(found->memories.size() == 1);
    return found->told.at(0);
  }
};

search_request words_of(std::string query) {
  search_request r;
  r.query = std::move(query);
  r.similarity_floor = 0;
  return r;
}

} // namespace

TEST_CASE("past topics: found by nothing but what a field held, a topic is left out and counted") {
  topic_search w;
  const auto ana =
      w.topic("Ana", {held("employer", "Globex", after(-9), after(5)), held("city", "Oslo")});
  const auto ben = w.topic("Ben", {held("employer", "Globex")});
  CHECK(same_ids(w.search(words_of("who works at Globex")), {ana, ben}));
  CHECK(w.search(words_of("Globex")).coverage.memory.ended == 0);

  w.pass(5); // the end itself is no longer valid
  auto found = w.search(words_of("who works at Globex"));
  check_sums(found);
  CHECK(same_ids(found, {ben}));
  CHECK(found.coverage.memory.ended == 1);
  CHECK(found.coverage.memory.searched == 1);
  // What else it is found by, it is found by; what has ended is not told.
  found = w.search(words_of("Ana Globex"));
  CHECK(same_ids(found, {ana, ben}));
  found = w.search(words_of("Oslo"));
  REQUIRE(same_ids(found, {ana}));
  CHECK(found.results[0].content == "Ana\ncity: Oslo");
  CHECK(found.results[0].field == "city");

  auto r = words_of("who works at Globex");
  r.include_ended = true;
  found = w.search(r);
  CHECK(same_ids(found, {ana, ben}));
  CHECK(found.coverage.memory.ended == 0);
  for (const auto& hit : found.results) {
    CHECK(hit.field == "employer");
    if (hit.uri.id == ana)
      CHECK(hit.content == "Ana\ncity: Oslo\nemployer: Globex (until 2024-01-06)");
  }
  r.include_ended = false;
  r.now = after(1);
  CHECK(same_ids(w.search(r), {ana, ben}));
}

TEST_CASE("past topics: a second turn looks at what the first one knew the values of") {
  topic_search w;
  const auto fans = w.topic("Globex fans", {held("employer", "Globex", after(-9), after(1))});
  (void)w.topic("Ana", {held("employer", "Globex", after(-9), after(1))});
  w.pass(1);
  const auto found = w.search(words_of("Globex"));
  CHECK(same_ids(found, {fans}));
  CHECK(found.coverage.memory.ended == 1);
}

TEST_CASE("past topics: by as_of, what held then, and nothing that began later") {
  topic_search w;
  const auto ana = w.topic("Ana", {held("employer", "Globex", after(10), after(20))});
  auto r = words_of("Globex");
  for (const auto& [at, holds] : {std::pair(9, false), {10, true}, {19, true}, {20, false}}) {
    r.as_of = after(at);
    // The topic itself holds since it was written.
    auto title = words_of("Ana");
    title.as_of = r.as_of;
    CHECK(same_ids(w.search(title), {ana}));
    CHECK(same_ids(w.search(r), holds ? std::vector{ana} : std::vector<memory_id>{}));
  }
  find_request f;
  f.types = {memory_type::topic};
  f.limit = 2;
  for (const auto& [at, text] : {std::pair(9, ""), {10, " (employer: Globex)"}, {20, ""}}) {
    f.as_of = after(at);
    CHECK(w.told(f) == text);
  }
  f.include_ended = true;
  f.as_of = {};
  f.now = after(20);
  CHECK(w.told(f) == " (employer: Globex (until 2024-01-21))");
  f.include_ended = false;
  CHECK(w.told(f).empty());
  context_request c;
  c.now = after(19);
  CHECK(w.target.context(c)->notable.at(0).text == "Ana (employer: Globex)");
  c.now = after(20);
  CHECK(w.target.context(c)->notable.at(0).text == "Ana");
}

TEST_CASE("past topics: others take the places of many, as long as there are any") {
  topic_search w;
  const int many = GENERATE(15, 70, 700);
  for (int i = 0; i < many; ++i)
    w.topic("P" + std::to_string(i), {held("employer", "Globex", after(-9), after(1))});
  std::vector<memory_id> holding;
  for (int i = 0; i < 3; ++i)
    holding.push_back(w.topic("a longer name " + std::to_string(i),
                              {held("employer", "Globex and others, for a long time")}));
  w.pass(2);
  auto r = words_of("Globex");
  const auto found = w.search(r);
  check_sums(found);
  // Eight windows are looked through.
  CHECK(same_ids(found, many < 400 ? holding : std::vector<memory_id>{}));
  CHECK(found.coverage.memory.ended >= std::min(many, 400));
  CHECK(found.coverage.memory.searched + found.coverage.memory.ended == many + 3);
}

TEST_CASE("past topics: the field that was asked for is told, however many stand before it") {
  topic_search w("hash");
  std::vector<field_input> fields;
  for (char c = 'a'; c < 'z'; ++c) fields.push_back(held(std::string(1, c), std::string(55, c)));
  fields.push_back(held("zeal", "hazelnuts"));
  const auto ana = w.topic("Ana", fields);
  auto found = w.search(words_of("hazelnuts"));
  REQUIRE(same_ids(found, {ana}));
  CHECK(found.results[0].field == "zeal");
  CHECK(found.results[0].content.starts_with("Ana\nzeal: hazelnuts\na: aaa"));
  CHECK(found.results[0].content.size() <= 600);
  CHECK(found.results[0].truncated);
  CHECK(w.search(words_of("Ana")).results.at(0).content.starts_with("Ana\na: aaa"));
  find_request f;
  f.types = {memory_type::topic};
  f.limit = 1;
  CHECK(w.told(f).starts_with(" (a: aaa"));
  f.near = "hazelnuts";
  CHECK(w.told(f).starts_with(" (zeal: hazelnuts; a: aaa"));
  context_request c;
  c.query = "hazelnuts";
  auto context = w.target.context(c);
  REQUIRE(context);
  REQUIRE(context->found.size() == 1);
  CHECK(context->found[0].text.contains("(zeal: hazelnuts; a: aaa"));
}

TEST_CASE("past topics: beside a hit one stands as before, without what has ended") {
  topic_search w;
  const auto ana = w.topic("Ana", {held("employer", "Globex", after(-9), after(5))});
  const auto ben = w.topic("Ben", {held("employer", "Globex")});
  w.edge(ana, edge_type::related_to, ben, "next");
  w.pass(5);
  CHECK(same_ids(w.search(words_of("Globex")), {ben}));
  context_request c;
  c.query = "Globex";
  const auto context = w.target.context(c);
  REQUIRE(context);
  REQUIRE(context->found.size() == 2);
  CHECK(context->found[0].uri.id == ana);
  CHECK(context->found[0].score == 0);
  CHECK(context->found[0].text.ends_with("] Ana"));
  CHECK(context->found[1].uri.id == ben);
}

TEST_CASE("past topics: what tells of an import comes behind what was imported") {
  search_world w;
  write_request r;
  r.type = memory_type::topic;
  r.data["title"] = std::string("Ben and Ana");
  r.tags = {std::string(overview_tag)};
  r.importance = 10;
  const auto overview = w.put(r);
  const auto said = w.note("the kettle leaks");
  auto context = w.target.context({});
  REQUIRE(context);
  REQUIRE(context->notable.size() == 2);
  CHECK(context->notable[0].uri.id == said);
  CHECK(context->notable[1].uri.id == overview);
  context_request small;
  small.budget_tokens = 4;
  context = w.target.context(small);
  REQUIRE(context);
  REQUIRE(context->notable.size() == 1);
  CHECK(context->notable[0].uri.id == said);
  CHECK(context->reachable_uris.size() == 1);
}

TEST_CASE("past topics: a retrieve tells no value that has ended, and finds no topic by it") {
  topic_search w("hash:64");
  const auto ana =
      w.topic("Ana", {held("employer", "Globex", after(-9), after(5)), held("city", "Oslo")});
  const auto ben = w.topic("Ben", {held("employer", "Initech")});
  const auto asked = [&](retrieve_request r) {
    r.touch = false;
    auto found = w.target.retrieve(std::move(r));
    if (!found) FAIL(found.error().message);
    return std::move(found->candidates);
  };
  const auto ids = [](const std::vector<topic_bundle>& found) {
    std::vector<memory_id> all;
    for (const auto& b : found) all.push_back(b.topic_id);
    return all;
  };
  retrieve_request r;
  r.q = "who works at Globex";
  r.top_k = 1;
  CHECK(ids(asked(r)) == std::vector{ana});
  w.pass(5);
  CHECK(ids(asked(r)) == std::vector{ben}); // the next takes its place
  r.include_ended = true;
  auto found = asked(r);
  REQUIRE(ids(found) == std::vector{ana});
  CHECK(found[0].fields->at(1).current.has_value());
  r.include_ended = false;
  r.now = after(4);
  CHECK(ids(asked(r)) == std::vector{ana});
  r.now.reset();
  r.as_of = after(4);
  CHECK(ids(asked(r)) == std::vector{ana});
  r.as_of.reset();
  // What it is found by beside that, it is found by; and what one names is answered.
  r.q = "Globex in Oslo";
  found = asked(r);
  REQUIRE(ids(found) == std::vector{ana});
  REQUIRE(found[0].fields->size() == 2);
  CHECK(found[0].fields->at(0).current.has_value());
  CHECK_FALSE(found[0].fields->at(1).current.has_value());
  CHECK(found[0].fields->at(1).history.empty());
  r.q = "Globex";
  r.topic_ids = {{ana}};
  CHECK(ids(asked(r)) == std::vector{ana});
  r.explain = true;
  CHECK(asked(r)[0].fields->at(1).history.size() == 1);
}
