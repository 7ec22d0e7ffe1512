// An answer that would take more than max_answer_bytes is refused, through every door.
// Of: query/answer_bytes.cpp, query/records/edge_reads.cpp, query/records/topic_parts.cpp
// Of: state/inspection/journal_items.cpp
#include <catch2/catch.hpp>

#include <algorithm>

#include <caf/all.hpp>

#include "mneme/tick.hpp"
#include "tests/actors/world_at_noon.hpp"
#include "tests/storage/temporary_directory.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr std::uint64_t small_answer = 64 << 10;
constexpr std::size_t text_bytes = 4000; ///< ten of them fit, twenty do not
constexpr std::uint8_t note_count = 60;

const std::vector<std::string> colour_tags = {"tea",  "leaf", "cup",  "steam",
                                              "rain", "moss", "clay", "storm"};

engine_options bounded(std::uint64_t bytes) {
  engine_options o = at_noon();
  o.max_answer_bytes = bytes;
  return o;
}

/// Notes of a few thousand bytes each; all have one colour, and edges lead from the first.
engine world_of_large_notes(std::uint64_t bytes = small_answer) {
  engine e = world_of(bounded(bytes));
  for (std::size_t i = 0; i < colour_tags.size(); ++i) {
    assign_tag_request r;
    r.tag = colour_tags[i];
    r.anchor = i == 0 ? 1 : i == 7 ? 7501 : 1000 * static_cast<std::int64_t>(i) + 1;
    REQUIRE(e.apply(r));
  }
  for (std::uint8_t n = 1; n <= note_count; ++n) {
    auto r = note_by(n, "tea " + std::string(text_bytes, 'x'));
    r.hashtags = colour_tags;
    put(e, r);
    if (n == 1) continue;
    add_edge_request edge;
    edge.src = id_of(1);
    edge.dst = id_of(n);
    edge.type = static_cast<std::uint8_t>(edge_type::references);
    edge.data = std::string(text_bytes, 'd');
    REQUIRE(e.apply(edge));
  }
  return e;
}

template <class Answer>
void check_refused(const result<Answer>& r, std::string_view way_out) {
  INFO("asked for less: " << way_out);
  REQUIRE_FALSE(r);
  CHECK(r.error().code == errc::limit_exceeded);
  CHECK(r.error().message.find("max_answer_bytes") != std::string::npos);
  CHECK(r.error().message.find(way_out) != std::string::npos);
}

find_request some_notes(std::int64_t limit, std::int64_t offset = 0) {
  find_request r = notes();
  r.limit = limit;
  r.offset = offset;
  return r;
}

ingest_request topic_of(std::uint8_t n) {
  ingest_request r;
  r.placement = ingest_placement::new_topic;
  r.topic_id = id_of(n);
  r.title = "harbour";
  r.actor = "ana";
  return r;
}

/// One field whose history is long.
void write_history(engine& e, std::uint8_t topic) {
  REQUIRE(e.apply(topic_of(topic)));
  for (int i = 0; i < 30; ++i) {
    ingest_request r;
    r.placement = ingest_placement::extend_topic;
    r.topic_id = id_of(topic);
    r.actor = "ana";
    field_input f;
    f.name = "depth";
    f.value = json_value(std::to_string(i) + std::string(text_bytes, 'v'));
    r.fields = {f};
    REQUIRE(e.apply(r));
  }
}

} // namespace

TEST_CASE("a find that is too large is refused, and comes page by page") {
  engine e = world_of_large_notes();
  check_refused(e.find(some_notes(note_count)), "limit and offset");
  std::size_t found = 0;
  for (std::int64_t offset = 0; offset < note_count; offset += 10) {
    const auto page = e.find(some_notes(10, offset));
    REQUIRE(page);
    found += page->memories.size();
  }
  CHECK(found == note_count);
  find_request budget = notes();
  budget.budget_tokens = 1'000'000;
  budget.form = form_kind::full;
  check_refused(e.find(budget), "limit and offset");
}

TEST_CASE("a late find that is refused touches nothing") {
  engine e = world_of_large_notes();
  const seq_no before = e.published();
  find_request r = some_notes(note_count);
  r.late_binding = true;
  check_refused(e.find(r), "limit and offset");
  CHECK(e.published() == before);
}

TEST_CASE("search, chroma and retrieve are bounded") {
  engine e = world_of_large_notes();
  search_request search;
  search.query = "tea";
  search.actor = "ana";
  search.limit = note_count;
  search.form = form_kind::full;
  check_refused(e.search(search), "limit");
  search.limit = 5;
  CHECK(e.search(search));

  chroma_request chroma;
  chroma.hashtags = colour_tags;
  chroma.actor = "ana";
  chroma.k = note_count;
  const seq_no before = e.published();
  check_refused(e.chroma(chroma), "fewer by k");
  CHECK(e.published() == before);
  chroma.k = 3;
  CHECK(e.chroma(chroma));

  write_history(e, 200);
  retrieve_request retrieve;
  retrieve.q = "harbour";
  retrieve.actor = "ana";
  retrieve.topic_ids = {{id_of(200)}};
  retrieve.explain = true;
  check_refused(e.retrieve(retrieve), "history_limit");
  retrieve.history_limit = 2;
  CHECK(e.retrieve(retrieve));
}

TEST_CASE("lists of edges, fields, events and memories are bounded") {
  engine e = world_of_large_notes();
  edges_read edges{.id = id_of(1), .filter = {}, .options = {}};
  check_refused(e.edges(edges), "limit and offset");
  edges.filter.limit = 5;
  CHECK(e.edges(edges));
  edges.filter.limit.reset();
  edges.direction = edge_direction::in;
  CHECK(e.edges(edges));
  check_refused(e.list_by_type(memory_type::note, note_count), "limit");
  const auto first = e.list_by_type(memory_type::note, 7);
  REQUIRE(first);
  REQUIRE(first->size() == 7);
  for (std::uint8_t i = 0; i < 7; ++i)
    CHECK((*first)[i].head->id == id_of(static_cast<std::uint8_t>(i + 1)));
  CHECK(e.list_by_type(memory_type::note, 0)->empty());

  write_history(e, 200);
  check_refused(e.fields(id_of(200), {.history = true}), "history_limit");
  CHECK(e.fields(id_of(200), {.history = true, .history_limit = 2}));
  get_read whole{.id = id_of(200), .options = {}, .parts = {.history = true}};
  check_refused(e.read(whole), "history_limit");
  whole.parts.history_limit = 2;
  CHECK(e.read(whole));
  whole.parts.history_limit = 0;
  const auto none = e.read(whole);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == errc::out_of_range);
  CHECK(none.error().at == "history_limit");
  whole.parts = {};
  CHECK(e.read(whole));
}

TEST_CASE("context, events, pages of the journal and proofs are bounded") {
  engine e = world_of(bounded(4000));
  write_history(e, 1);
  context_request context{.actor = "ana"};
  context.form = form_kind::full;
  for (std::uint8_t n = 100; n < 130; ++n)
    put(e, of_type(memory_type::identity, n, {{"name", std::string(400, 'n')}}));
  check_refused(e.context(context), "budget_tokens");
  context.budget_tokens = 100;
  CHECK(e.context(context));
  check_refused(e.events(id_of(1)), "journal");
  check_refused(e.journal({1}, 10'000), "from and limit");
  CHECK(e.journal({1}, 3)->size() == 3);
  prove_request proofs;
  for (std::uint64_t seq = 1; seq <= e.published().value; ++seq) proofs.seqs.push_back({seq});
  check_refused(e.prove(proofs), "fewer proofs");
  proofs.seqs.resize(2);
  CHECK(e.prove(proofs));
}

TEST_CASE("a list has room for its answers in its own order, whoever runs them") {
  for (const std::size_t count : {std::size_t{3}, std::size_t{24}}) {
    engine_options o = bounded(small_answer);
    o.readers = 4;
    engine e = world_of(std::move(o));
    for (std::uint8_t n = 1; n <= 8; ++n) put(e, note_by(n, std::string(text_bytes, 'x')));
    find_request r = some_notes(7);
    r.late_binding = true;
    const seq_no before = e.published();
    const auto answers = e.find_many(std::vector<find_request>(count, r));
    REQUIRE(answers.size() == count);
    std::size_t answered = 0;
    while (answered < count && answers[answered]) ++answered;
    CHECK(answered > 0);
    CHECK(answered < count);
    for (std::size_t i = answered; i < count; ++i) check_refused(answers[i], "fewer at once");
    // What was refused has touched nothing.
    CHECK(e.published().value == before.value + answered);
  }
}

TEST_CASE("a tick whose answers are too large together is refused whole") {
  engine e = world_of_large_notes();
  tick_request t;
  for (int i = 0; i < 8; ++i) {
    find_request r = some_notes(5);
    r.late_binding = true;
    t.reads.emplace_back(r);
  }
  t.writes.emplace_back(scoped_mutation{note_by(250)});
  const seq_no before = e.published();
  check_refused(e.tick(t), "fewer at once");
  CHECK(e.published() == before);
  t.reads.resize(2);
  const auto done = e.tick(t);
  REQUIRE(done);
  CHECK(done->reads[0]);
  CHECK(done->seq.value == before.value + 3);
}

TEST_CASE("records that a find keeps for its answer are counted") {
  engine e = world_of_large_notes();
  find_request r = some_notes(5, 50);
  r.where = predicate{compare_predicate{comparison::ne, "data.statement", std::string("none")}};
  r.count = true;
  r.explain = true;
  const auto found = e.find(r);
  REQUIRE(found);
  CHECK(found->memories.size() == 5);
  const auto& stages = found->plan->stages;
  const auto fetch = std::ranges::find(stages, "fetch", &plan_stage::name);
  REQUIRE(fetch != stages.end());
  // All sixty are tested; ten or so fit, and the page, which is behind them, is read again.
  CHECK(fetch->detail == "65 records");
}

namespace {

load_compact_request record_of(const compact_request& r) {
  load_compact_request load;
  load.intent_id = r.intent_id;
  load.step_id = r.step_id;
  return load;
}

} // namespace

TEST_CASE("what compact answers is bounded, and refused before anything is journaled") {
  engine e = world_of_large_notes(20'000);
  compact_request r;
  r.intent_id = "i";
  r.step_id = "s";
  r.budget_tokens = 1'000'000;
  for (std::uint8_t n = 1; n <= note_count; ++n)
    r.load_bearing.push_back(to_string(memory_uri{memory_type::note, id_of(n), 1}));
  const seq_no before = e.published();
  check_refused(e.compact(r), "in_context and load_bearing");
  CHECK(e.published() == before);
  compact_request unknown = r;
  unknown.load_bearing.clear();
  for (int i = 0; i < 200; ++i)
    unknown.in_context.push_back("no uri " + std::to_string(i) + std::string(100, '.'));
  check_refused(e.compact(unknown), "in_context and load_bearing");
  CHECK(e.published() == before);
  r.load_bearing.resize(12);
  r.in_context = {"no uri", "nor this", "no uri"};
  const auto done = e.compact(r);
  REQUIRE(done);
  CHECK(done->kept.size() == 12);
  CHECK(done->skipped == std::vector<std::string>{"no uri", "nor this"});
  CHECK(e.load_compact(record_of(r)));

  // Those of a tick have room together; what has none is refused alone.
  tick_request t;
  for (int i = 0; i < 3; ++i) t.writes.emplace_back(r);
  const auto ticked = e.tick(t);
  REQUIRE(ticked);
  CHECK(ticked->writes[0]);
  CHECK_FALSE(ticked->writes[2]);
}

TEST_CASE("a compact record that has grown too large to be read back is refused") {
  const temporary_directory place;
  engine_options o = bounded(1 << 20);
  o.directory = place.path() + "/world";
  compact_request r;
  r.intent_id = "i";
  r.step_id = "s";
  r.budget_tokens = 1'000'000;
  {
    engine e = opened(o);
    for (std::uint8_t n = 1; n <= 20; ++n) {
      put(e, note_by(n, std::string(text_bytes, 'x')));
      auto& to = n % 2 == 0 ? r.load_bearing : r.in_context;
      to.push_back(to_string(memory_uri{memory_type::note, id_of(n), 1}));
    }
    REQUIRE(e.compact(r));
    REQUIRE(e.load_compact(record_of(r)));
  }
  o.max_answer_bytes = 2'000;
  engine e = opened(o);
  check_refused(e.load_compact(record_of(r)), "fewer memories");
}

TEST_CASE("an engine that names no bound has one that answers fit into") {
  engine e = world_of_large_notes(engine_options{}.max_answer_bytes);
  CHECK(e.find(some_notes(note_count)));
  CHECK(e.journal({1}, 10'000));
}
