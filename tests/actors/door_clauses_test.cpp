// Clauses of the doors that no other test is about.
// Of: query/vector_check.cpp, query/records/similar_topics.cpp
#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

#include "tests/actors/engine_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

engine world_with(const std::string& embedder) {
  engine_options o;
  o.embedder_spec = embedder;
  o.seed = 1;
  o.exact_near = true;
  return opened(std::move(o));
}

ingest_request new_topic(std::uint8_t n, std::string title) {
  ingest_request r;
  r.placement = ingest_placement::new_topic;
  r.topic_id = id_of(n);
  r.title = std::move(title);
  return r;
}

} // namespace

TEST_CASE("5 ingest names at most eight similar topics, nearest first, that the actor sees") {
  engine e = world_with("none");
  for (std::uint8_t n = 1; n <= 12; ++n) {
    ingest_request r = new_topic(n, "t");
    r.vector = std::vector<float>{1, static_cast<float>(n) / 10.0F};
    r.actor = n == 3 ? "bo" : "ana";
    REQUIRE(e.apply(r));
  }
  ingest_request r = new_topic(20, "new");
  r.vector = std::vector<float>{1, 0};
  r.actor = "ana";
  const auto done = e.apply(r);
  REQUIRE(done);
  std::vector<memory_id> expected;
  for (const int n : {1, 2, 4, 5, 6, 7, 8, 9})
    expected.push_back(id_of(static_cast<std::uint8_t>(n)));
  CHECK(done->topics->similar_topic_ids == expected);
}

TEST_CASE("5 the embedded text of a topic is title, summary and what its fields hold") {
  engine e = world_with("hash:64");
  ingest_request r = new_topic(1, "north harbour");
  r.summary = "ferries";
  REQUIRE(e.apply(r));
  const auto before = e.get(id_of(1));
  REQUIRE(before);
  ingest_request field;
  field.placement = ingest_placement::extend_topic;
  field.topic_id = id_of(1);
  field.fields.push_back({.name = "keeper",
                          .value = {std::string("somebody quite different")},
                          .type = {},
                          .ref_topic_id = {},
                          .salience = {},
                          .valid_from = {},
                          .valid_until = {},
                          .why_changed = {},
                          .impact_expected = {},
                          .operation = {},
                          .provenance = {}});
  REQUIRE(e.apply(field));
  const auto after = e.get(id_of(1));
  REQUIRE(after);
  CHECK(after->head == before->head); // a vector of the same version
  const auto events = e.events(id_of(1));
  REQUIRE(events);
  CHECK(std::ranges::count(*events, topic_event_kind::embedding, &topic_event::kind) == 1);

  // The same text is the same vector: nothing is nearer to the question.
  retrieve_request ask;
  ask.q = "north harbour\nferries\nkeeper: somebody quite different";
  const auto found = e.retrieve(ask);
  REQUIRE(found);
  REQUIRE(found->candidates.size() == 1);
  CHECK(found->candidates[0].similarity == Approx(1.0).margin(1e-6));
}

TEST_CASE("7 include_siblings is echoed and changes nothing") {
  engine e = world_with("none");
  write_request w;
  w.type = memory_type::note;
  w.data["statement"] = std::string("green tea");
  REQUIRE(e.apply(w));
  for (const auto mode : {sibling_mode::automatic, sibling_mode::always, sibling_mode::never}) {
    search_request r;
    r.query = "tea";
    r.include_siblings = mode;
    const auto found = e.search(r);
    REQUIRE(found);
    CHECK(found->include_siblings == mode);
    CHECK(found->results.size() == 1);
  }
}

TEST_CASE("8 compact: the same intent and step again replaces the record") {
  engine e = world_with("none");
  write_request w;
  w.type = memory_type::note;
  w.data["statement"] = std::string("green tea");
  const auto uri = to_string(*e.apply(w)->uri);
  compact_request c{.in_context = {uri},
                    .load_bearing = {},
                    .budget_tokens = 100,
                    .intent_id = "trip",
                    .step_id = "1",
                    .actor = {}};
  const auto first = e.compact(c);
  REQUIRE(first);
  CHECK(first->kept.empty());
  c.load_bearing = {uri};
  REQUIRE(e.compact(c));
  load_compact_request load{.intent_id = "trip", .step_id = "1", .actor = {}, .at_seq = {}};
  CHECK(e.load_compact(load)->kept.size() == 1);
  load.at_seq = first->seq;
  CHECK(e.load_compact(load)->compacted.size() == 1);
}

TEST_CASE("a bad vector is refused through every door, also where nothing would be compared") {
  engine e = world_with("none");
  REQUIRE(e.apply(new_topic(1, "t")));
  constexpr float infinite = std::numeric_limits<float>::infinity();
  const auto refused_at = [](const auto& answer) {
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == errc::bad_vector);
    return answer.error().at;
  };
  for (const auto& bad : {std::vector<float>{}, std::vector<float>{0, 0},
                          std::vector<float>{1, infinite}, std::vector<float>(4097, 1)}) {
    for (const auto& at : {std::optional<seq_no>(), std::optional(seq_no{99})}) {
      retrieve_request retrieve;
      retrieve.q = "t";
      retrieve.vector = bad;
      retrieve.at_seq = at;
      CHECK(refused_at(e.retrieve(retrieve)) == "vector");
      retrieve.stages = {retrieve_stage::structural};
      CHECK(refused_at(e.retrieve(retrieve)) == "vector");
      search_request search;
      search.query = "t";
      search.vector = bad;
      search.at_seq = at;
      CHECK(refused_at(e.search(search)) == "vector");
      search.source = search_source::content;
      search.atomic_only = true; // nothing is searched
      CHECK(refused_at(e.search(search)) == "vector");
      search.memory_ids = {{id_of(1)}};
      CHECK(refused_at(e.search(search)) == "vector");
      find_request find;
      find.types = {memory_type::topic};
      find.limit = 1;
      find.near_vector = bad;
      find.at_seq = at;
      CHECK(refused_at(e.find(find)) == "near_vector");
    }
    ingest_request more = new_topic(1, "t");
    more.placement = ingest_placement::extend_topic;
    more.vector = bad;
    CHECK(refused_at(e.apply(more)) == "vector");
  }
}

TEST_CASE("7 topics that tell of an import alone are searched only where they are asked for") {
  engine e = world_with("hash:64");
  const auto put = [&](std::uint8_t n, bool is_overview) {
    ingest_request r = new_topic(n, "talk about boats number " + std::to_string(n));
    r.summary = "boats";
    REQUIRE(e.apply(r));
    if (!is_overview) return;
    update_head_request tagged{};
    tagged.uri = {memory_type::topic, id_of(n), 1};
    tagged.tags = std::vector<std::string>{"other", std::string(overview_tag)};
    REQUIRE(e.apply(tagged));
  };
  const auto searched = [&](auto ask) {
    search_request r;
    r.query = "talk about boats";
    r.similarity_floor = 0;
    r.limit = 200;
    ask(r);
    const auto found = e.search(r);
    REQUIRE(found);
    CHECK(found->coverage.memory.searched
          == static_cast<std::int64_t>(found->results.size())); // all have the words
    return found->results.size();
  };
  put(1, false);
  put(2, true);
  write_request w;
  w.type = memory_type::note;
  w.data["statement"] = std::string("we talk about boats");
  w.tags = {std::string(overview_tag)}; // of a note it means nothing
  REQUIRE(e.apply(w));
  // Few are counted, many are listed: the answer is the same.
  for (std::uint8_t n = 3; n < 120; ++n) {
    const std::size_t overviews = n - 2U;
    if (n == 3 || n == 119) {
      CHECK(searched([](search_request&) {}) == 2);
      CHECK(searched([](search_request& r) { r.include_overviews = true; }) == 2 + overviews);
      CHECK(searched([](search_request& r) { r.tag = overview_tag; }) == 1 + overviews);
      CHECK(searched([](search_request& r) { r.tag = "other"; }) == 0);
      CHECK(searched([](search_request& r) { r.type = memory_type::topic; }) == 1);
    }
    put(n, true);
  }
  // Who takes the tag away has the topic searched.
  update_head_request plain{};
  plain.uri = {memory_type::topic, id_of(2), 1};
  plain.tags.emplace();
  REQUIRE(e.apply(plain));
  CHECK(searched([](search_request&) {}) == 3);
}
