// Ticks: many agents' reads and writes as one message and one frame.
// Of: query/tick_reads.cpp, actors/coordinator_actor.cpp, actors/reader_actor.cpp
// Of: state/commit/waiting_touches.cpp
#include <catch2/catch.hpp>

#include <future>

#include <caf/all.hpp>

#include "actors/engine_actor.hpp"
#include "mneme/tick.hpp"
#include "tests/actors/world_at_noon.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// A set of hashtags that has a colour.
const std::vector<std::string> hashtags = {"tea",  "leaf", "cup",  "steam",
                                           "rain", "moss", "clay", "storm"};

/// Hashtags, two coloured notes and a topic that everybody sees: 1, 3 and 2.
std::vector<mutation> things_to_find() {
  std::vector<mutation> items;
  for (std::size_t i = 0; i < hashtags.size(); ++i) {
    assign_tag_request r;
    r.tag = hashtags[i];
    r.anchor = i == 0 ? 1 : i == 7 ? 7501 : 1000 * static_cast<std::int64_t>(i) + 1;
    items.emplace_back(std::move(r));
  }
  for (const std::uint8_t n : {std::uint8_t{1}, std::uint8_t{3}}) {
    auto r = note_by(n, "a note of all");
    r.visibility = visibility::actor_public;
    r.hashtags = hashtags;
    items.emplace_back(std::move(r));
  }
  ingest_request topic;
  topic.placement = ingest_placement::new_topic;
  topic.topic_id = id_of(2);
  topic.title = "harbour";
  topic.actor = "ana";
  topic.visibility = visibility::actor_public;
  items.emplace_back(std::move(topic));
  return items;
}

tick_request round_of_agents(int agents) {
  tick_request t;
  // Agents in an order that is not that of their names.
  for (int i = agents; i-- > 0;) {
    const std::string actor = "agent " + std::to_string(i);
    find_request r = notes(actor);
    r.late_binding = true;
    r.limit = 3;
    t.reads.emplace_back(r);
    t.reads.emplace_back(get_read{id_of(1), {.actor = actor, .at_seq = {}}});
    t.reads.emplace_back(context_request{.actor = actor});
    retrieve_request about;
    about.q = "harbour";
    about.topic_ids = {{id_of(2)}};
    about.actor = actor;
    t.reads.emplace_back(about);
    chroma_request colour;
    colour.hashtags = hashtags;
    colour.k = 1 + i % 2;
    colour.actor = actor;
    t.reads.emplace_back(colour);
    search_request words;
    words.query = "by agent " + std::to_string(i);
    words.limit = 3;
    words.actor = actor;
    t.reads.emplace_back(words);
    write_request w;
    w.type = memory_type::note;
    w.data["statement"] = "by " + actor;
    w.actor = actor;
    w.visibility = i % 3 == 0 ? visibility::actor_public : visibility::private_;
    t.writes.emplace_back(scoped_mutation{.request = w});
    t.writes.emplace_back(attest_request{.intent_id = "round",
                                         .outcome = attest_outcome::success,
                                         .reason = {},
                                         .cited = {"mneme://Note/" + to_string(id_of(1)) + "#1"},
                                         .actor = actor});
  }
  return t;
}

/// A tick as text, to compare outcomes byte for byte.
std::string text_of(const tick_result& t) {
  std::string out = std::to_string(t.seq.value);
  const auto fail_text = [](const error& e) { return " !" + std::string(to_string(e.code)); };
  for (const auto& r : t.reads) {
    if (!r) {
      out += fail_text(r.error());
    } else if (const auto* f = std::get_if<find_result>(&*r)) {
      out += " find " + std::to_string(f->seq.value_or(seq_no{}).value);
      for (const auto& m : f->memories) out += to_string(m.head->id);
    } else if (const auto* m = std::get_if<memory_reading>(&*r)) {
      out += " get " + to_string(m->found.head->id);
    } else if (const auto* c = std::get_if<context_result>(&*r)) {
      out += " context " + std::to_string(c->tokens);
    } else if (const auto* topics = std::get_if<retrieve_result>(&*r)) {
      out += " retrieve " + std::to_string(topics->seq.value_or(seq_no{}).value);
      for (const auto& b : topics->candidates)
        out += to_string(b.topic_id) + std::to_string(b.salience_e9);
    } else if (const auto* colour = std::get_if<chroma_result>(&*r)) {
      out += " chroma " + std::to_string(colour->seq.value_or(seq_no{}).value);
      for (const auto& row : colour->rows)
        out += to_string(row.memory.head->id) + std::to_string(row.score);
    } else if (const auto* words = std::get_if<search_result>(&*r)) {
      out += " search";
      for (const auto& hit : words->results) out += to_string(hit.uri) + std::to_string(hit.score);
    }
  }
  for (const auto& w : t.writes) {
    if (!w)
      out += fail_text(w.error());
    else if (const auto* m = std::get_if<mutation_result>(&*w))
      out += " " + std::to_string(m->seq.value) + (m->uri ? to_string(*m->uri) : "");
    else if (const auto* a = std::get_if<attest_result>(&*w))
      out += " " + std::to_string(a->seq.value) + " " + std::to_string(a->weights.access);
  }
  return out;
}

/// What several ticks answer, and the journal's headers and root behind them.
std::string run_with_readers(std::size_t readers, std::size_t threads) {
  host_config config(threads);
  caf::actor_system system(config);
  auto o = open_engine(at_noon());
  REQUIRE(o);
  o->actors.readers = readers;
  auto running = start_engine(system, std::move(*o));
  std::string outcome;
  std::vector<tick_request> ticks(1);
  // In the order of the actors' bytes: the host's come first.
  for (auto& m : things_to_find()) ticks[0].writes.emplace_back(scoped_mutation{.request = m});
  for (int i = 0; i < 3; ++i) ticks.push_back(round_of_agents(40));
  for (const auto& t : ticks) {
    std::promise<std::string> done;
    hand_over_tick(
        *running, std::make_shared<const tick_request>(t), {}, {},
        [&](const result<tick_result>& r) { done.set_value(r ? text_of(*r) : r.error().message); });
    outcome += done.get_future().get() + "\n";
  }
  REQUIRE(read_journal(*running->state->files, journal_directory(running->state->directory),
                       running->state->info.id, seq_no{1}, true,
                       [&](const journal_frame& f) -> result<bool> {
                         outcome += "frame " + std::to_string(f.entries.size()) + "\n";
                         for (const auto& raw : f.entries) outcome += raw.header + raw.payload;
                         return true;
                       }));
  outcome += to_hex(running->state->published_roots().overall);
  std::promise<void> closed;
  hand_over(*running,
            checkpoint_command{.reply = [&](const result<seq_no>&) { closed.set_value(); },
                               .last = true});
  closed.get_future().get();
  stop_actors(running->actors);
  running->actors = {};
  system.await_all_actors_done();
  return outcome;
}

} // namespace

TEST_CASE("8 tick: restored fields without a revision are refused, each by itself") {
  auto opened = open_in_memory();
  REQUIRE(opened);
  tick_request t;
  for (int i = 0; i < 2; ++i) t.writes.emplace_back(scoped_mutation{put_field_record_request{}});
  const auto ticked = opened->tick(t);
  REQUIRE(ticked);
  for (const auto& w : ticked->writes) CHECK_FALSE(w);
}

TEST_CASE("8 ticks: the same bytes of journal and answers with 1 or N readers") {
  const std::string one = run_with_readers(1, 1);
  CHECK(run_with_readers(2, 2) == one);
  CHECK(run_with_readers(7, 4) == one);
  CHECK(one.find("by agent 39") != std::string::npos);
}

TEST_CASE("8 ticks: every door answers in a tick as it does alone, whoever drives the queries") {
  const auto driver = GENERATE(query_driver::caller, query_driver::coordinator);
  auto o = at_noon();
  o.queries = driver;
  engine e = world_of(o);
  REQUIRE(e.write_batch(things_to_find()));
  auto t = round_of_agents(3);
  t.writes.clear();
  auto alone = e.search(std::get<search_request>(t.reads[5]));
  REQUIRE(alone);
  auto colour = std::get<chroma_request>(t.reads[4]);
  colour.touch = false;
  auto topics = std::get<retrieve_request>(t.reads[3]);
  topics.touch = false;
  auto coloured = e.chroma(colour);
  auto retrieved = e.retrieve(topics);
  REQUIRE(coloured);
  REQUIRE(retrieved);
  auto done = e.tick(t);
  REQUIRE(done);
  const auto text = [](auto answer) {
    tick_result r;
    r.reads.emplace_back(std::move(answer));
    return text_of(r);
  };
  CHECK(text(std::get<search_result>(*done->reads[5])) == text(*alone));
  auto ticked = std::get<chroma_result>(*done->reads[4]);
  CHECK(ticked.rows.size() == 1);
  CHECK(std::exchange(ticked.seq, {}).has_value());
  CHECK(text(ticked) == text(*coloured));
  auto bundles = std::get<retrieve_result>(*done->reads[3]);
  CHECK(bundles.candidates.size() == 1);
  CHECK(std::exchange(bundles.seq, {}).has_value());
  CHECK(text(bundles) == text(*retrieved));
  // find_late, retrieve and chroma of three agents, by (actor, position), in one frame.
  std::string kinds;
  const auto entries = e.journal({e.published().value - 8}, 9);
  REQUIRE(entries);
  for (const auto& i : *entries) kinds += i.kind + " ";
  CHECK(kinds
        == "find_late reinforce reinforce find_late reinforce reinforce find_late reinforce "
           "reinforce ");
  CHECK(e.get(id_of(2))->activation.topic_salience_e9 == 1'300'000'000);
}

TEST_CASE("8 attest: learns from what the tick's own reads have touched") {
  // What is cited has been found by colour in the same tick: one access more in the profile.
  const auto access_weight = [](bool touches) {
    engine e = world_of();
    REQUIRE(e.write_batch(things_to_find()));
    tick_request t;
    chroma_request colour;
    colour.hashtags = hashtags;
    colour.touch = touches;
    colour.actor = "ana";
    t.reads.emplace_back(colour);
    t.writes.emplace_back(attest_request{.intent_id = "i",
                                         .outcome = attest_outcome::success,
                                         .reason = {},
                                         .cited = {"mneme://Note/" + to_string(id_of(1)) + "#1"},
                                         .actor = "ana"});
    auto done = e.tick(t);
    REQUIRE(done);
    REQUIRE(done->writes[0]);
    return std::get<attest_result>(*done->writes[0]).weights.access;
  };
  CHECK(access_weight(true) > access_weight(false));
}

TEST_CASE("8 ticks: reads see the start, touches then writes commit as one frame") {
  engine e = world_of();
  auto first = note_by(1);
  first.visibility = visibility::actor_public;
  put(e, first);
  tick_request t;
  for (const char* actor : {"zoe", "ben"}) {
    find_request r = notes(actor);
    r.late_binding = true;
    t.reads.emplace_back(r);
    t.writes.emplace_back(
        scoped_mutation{.request = note_by(actor[0] == 'z' ? 26 : 2, "new", actor)});
  }
  auto done = e.tick(t);
  REQUIRE(done);
  for (const auto& r : done->reads) {
    REQUIRE(r);
    CHECK(std::get<find_result>(*r).memories.size() == 1); // not what the tick writes
  }
  // By (agent, position): ben's touch, zoe's touch, ben's write, zoe's write.
  CHECK(std::get<find_result>(*done->reads[1]).seq == seq_no{2});
  CHECK(std::get<find_result>(*done->reads[0]).seq == seq_no{3});
  CHECK(std::get<mutation_result>(*done->writes[1]).seq == seq_no{4});
  CHECK(std::get<mutation_result>(*done->writes[0]).seq == seq_no{5});
  CHECK(done->seq == seq_no{5});
  auto items = e.journal({1}, 10);
  REQUIRE(items);
  std::string kinds;
  for (const auto& i : *items) kinds += i.kind + " ";
  CHECK(kinds == "write find_late find_late write write ");
  CHECK(e.get(id_of(1))->activation.access_count == 2);
}

TEST_CASE("8 ticks: what fails, fails alone") {
  engine e = world_of();
  put(e, note_by(1));
  tick_request t;
  t.reads.emplace_back(get_read{id_of(9), {}});
  t.reads.emplace_back(find_request{});
  t.reads.emplace_back(get_read{id_of(1), {}});
  t.reads.emplace_back(edges_read{id_of(1), edge_direction::both, {}, {}});
  t.reads.emplace_back(resolve_read{{memory_type::note, id_of(1), 2}, {}});
  t.writes.emplace_back(scoped_mutation{.request = note_by(1)});
  t.writes.emplace_back(scoped_mutation{.request = note_by(2)});
  t.writes.emplace_back(attest_request{.intent_id = "i",
                                       .outcome = attest_outcome::success,
                                       .reason = {},
                                       .cited = {},
                                       .actor = {}});
  t.writes.emplace_back(
      compact_request{.in_context = {"mneme://Note/" + to_string(id_of(2)) + "#1"},
                      .load_bearing = {},
                      .intent_id = "i",
                      .step_id = "s",
                      .actor = "ana"});
  auto done = e.tick(t);
  REQUIRE(done);
  CHECK(done->reads[0].error().code == errc::not_found);
  CHECK(done->reads[1].error().code == errc::unbounded);
  CHECK(done->reads[2]);
  CHECK(done->reads[3]);
  CHECK(done->reads[4].error().code == errc::not_found);
  CHECK(done->writes[0].error().code == errc::already_exists);
  CHECK(done->writes[1]);
  CHECK(done->writes[2].error().code == errc::empty_citations);
  // Writes see earlier writes of the tick, in the order of commit.
  REQUIRE(done->writes[3]);
  CHECK(std::get<compact_result>(*done->writes[3]).compacted.size() == 1);
  CHECK(e.published().value == 3);
  CHECK(e.load_compact({.intent_id = "i", .step_id = "s", .actor = {}, .at_seq = {}}));
  // Nothing to commit: the present seq.
  auto reads_only = e.tick({.reads = {get_read{id_of(1), {}}}, .writes = {}});
  REQUIRE(reads_only);
  CHECK(reads_only->seq == e.published());
  CHECK(e.tick({}));
}

TEST_CASE("8 ticks: thousands of agents in one message") {
  engine e = world_of();
  REQUIRE(e.write_batch(things_to_find()));
  const std::uint64_t before = e.published().value;
  auto done = e.tick(round_of_agents(2000));
  REQUIRE(done);
  for (const auto& w : done->writes) REQUIRE(w);
  CHECK(done->seq.value == before + 3 * 2000 + 2000 + 2 * 2000);
  CHECK(e.stats()->memories == 2003);
  CHECK(e.get(id_of(1))->activation.citations == 2000);
}
