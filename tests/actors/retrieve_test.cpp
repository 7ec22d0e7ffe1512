// Retrieve by both drivers: the coordinator by messages, the facade in the caller's thread.
// Of: actors/coordinator_actor.cpp, actors/inline_query.cpp, actors/end_query.cpp
#include <catch2/catch.hpp>

#include <caf/all.hpp>

#include "mneme/caf.hpp"
#include "tests/actors/engine_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

engine_options seeded_options() {
  engine_options o;
  o.seed = 1;
  o.clock = std::make_shared<manual_clock>(timestamp{1'000'000'000'000'000'000});
  return o;
}

std::vector<ingest_request> topics() {
  std::vector<ingest_request> all;
  memory_id id;
  for (const char* title : {"north harbour", "south harbour", "ferry line"}) {
    ++id.bytes[15];
    ingest_request r;
    r.placement = ingest_placement::new_topic;
    r.topic_id = id;
    r.title = title;
    field_input f;
    f.name = "depth";
    f.value.node = std::int64_t{id.bytes[15]};
    r.fields = {f, f};
    all.push_back(r);
  }
  all.back().links = {{.topic_id = *all.front().topic_id, .kind = "lands_at"}};
  return all;
}

std::string text_of(const retrieve_result& r) {
  std::string text = r.summary_text + " at " + std::to_string(r.at_seq.value);
  if (r.seq) text += " entry " + std::to_string(r.seq->value);
  for (const auto& b : r.candidates) {
    text += "\n" + to_string(b.topic_id) + " " + std::to_string(b.salience_e9) + " "
            + std::to_string(b.similarity.value_or(-1));
    for (const auto& f : *b.fields)
      text += " " + f.field.head.name + ":" + std::to_string(f.history.size());
    for (const auto& n : *b.neighbours) text += " " + n.title + "(" + n.kind + ")";
  }
  return text;
}

const std::vector<retrieve_request>& questions() {
  static const std::vector<retrieve_request> all = {
      {.q = "north harbour"},
      {.q = "north harbour", .explain = true, .top_k = 1},
      {.q = "ferry", .touch = false},
      {.q = "ferry", .at_seq = seq_no{3}},
      {.q = "harbour", .topic_ids = std::vector<memory_id>{}},
  };
  return all;
}

} // namespace

TEST_CASE("retrieve answers the same by messages and in the caller's thread") {
  auto facade = open_in_memory(seeded_options());
  REQUIRE(facade);
  host_config config;
  caf::actor_system system(config);
  auto spawned = mneme::spawn(system, seeded_options());
  REQUIRE(spawned);
  caf::scoped_actor self(system);
  const auto fail_on_error = [](const caf::error& e) { FAIL(to_error(e).message); };
  for (const auto& r : topics()) {
    REQUIRE(facade->apply(r));
    self->request(*spawned, caf::infinite, apply_message{r})
        .receive([](const mutation_result& done) { CHECK(done.topics); }, fail_on_error);
  }
  for (const auto& q : questions()) {
    auto one = facade->retrieve(q);
    REQUIRE(one);
    self->request(*spawned, caf::infinite, retrieve_message{q})
        .receive([&](const retrieve_reply& other) { CHECK(text_of(*one) == text_of(*other)); },
                 fail_on_error);
  }
  CHECK(facade->root()->overall != digest{});
  const memory_id id = *topics().front().topic_id;
  auto events = facade->events(id);
  REQUIRE(events);
  self->request(*spawned, caf::infinite, events_message{id, {}})
      .receive([&](const events_reply& other) { CHECK(*events == *other); }, fail_on_error);
  self->request(*spawned, caf::infinite, fields_message{id, {.history = true}, {}})
      .receive([&](const fields_reply& f) { CHECK(f->at(0).history.size() == 2); }, fail_on_error);
  self->request(*spawned, caf::infinite, root_message{})
      .receive([&](const root_set& r) { CHECK(r == *facade->root()); }, fail_on_error);
  self->request(*spawned, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, fail_on_error);
}

TEST_CASE("retrieve_many reads one seq, whatever its items touch") {
  auto facade = open_in_memory(seeded_options());
  REQUIRE(facade);
  for (const auto& r : topics()) REQUIRE(facade->apply(r));
  const seq_no before = facade->published();
  auto found = facade->retrieve_many({{.q = "harbour"}, {.q = "harbour"}, {.q = ""}});
  REQUIRE(found.size() == 3);
  for (int i = 0; i < 2; ++i) {
    REQUIRE(found[static_cast<std::size_t>(i)]);
    CHECK(found[static_cast<std::size_t>(i)]->at_seq == before);
    CHECK(found[static_cast<std::size_t>(i)]->candidates[0].salience_e9 == salience_one_e9);
  }
  CHECK(found[2].error().code == errc::empty_query);
  // Both touches count: one after the other at commit.
  CHECK(facade->get(found[0]->candidates[0].topic_id)->activation.topic_salience_e9
        == 1'200'000'000);
}
