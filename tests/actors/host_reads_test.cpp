// Single reads of a host's actors end at their deadlines.
#include <catch2/catch.hpp>

#include <atomic>

#include <caf/all.hpp>

#include "actors/engine_actor.hpp"
#include "tests/actors/engine_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

template <class Reply, class Message>
error refusal(caf::scoped_actor& self, const engine_actor& to, const Message& message) {
  error found;
  self->request(to, caf::infinite, message)
      .receive([](const Reply&) { FAIL("it was answered"); },
               [&](const caf::error& e) { found = to_error(e); });
  return found;
}

/// Every single read, with a deadline.
std::vector<error> refusals(caf::scoped_actor& self, const engine_actor& to, std::int64_t ms) {
  const memory_id topic = id_of(1);
  const memory_uri uri{memory_type::topic, topic, 1};
  return {refusal<memory_reply>(self, to, get_message{topic, {}, ms}),
          refusal<memory_reply>(self, to, resolve_message{uri, {}, ms}),
          refusal<edges_reply>(self, to, edges_message{topic, edge_direction::both, {}, {}, ms}),
          refusal<stale_reply>(self, to, stale_message{{.id = topic, .deadline_ms = ms}}),
          refusal<fields_reply>(self, to, fields_message{topic, {}, {}, ms}),
          refusal<events_reply>(self, to, events_message{topic, {}, ms})};
}

} // namespace

TEST_CASE("a single read of a host's actor ends at its deadline, which is 1 at least") {
  host_config config(4);
  caf::actor_system system(config);
  engine_options options;
  options.embedder_spec = "none";
  auto running = start_engine(system, options);
  REQUIRE(running);
  // Each look finds a second gone.
  const auto looks = std::make_shared<std::atomic<std::int64_t>>(0);
  (*running)->options.queries.stopwatch = [looks] { return ++*looks * 1'000'000'000; };
  const engine_actor memory = system.spawn(engine_behavior, *running);
  caf::scoped_actor self(system);
  ingest_request topic;
  topic.placement = ingest_placement::new_topic;
  topic.topic_id = id_of(1);
  topic.title = "tea";
  add_edge_request edge;
  edge.src = id_of(1);
  edge.dst = id_of(2);
  edge.type = static_cast<std::uint8_t>(edge_type::related_to);
  self->request(memory, caf::infinite, batch_message{{topic, edge}})
      .receive([](const batch_result&) {}, [](const caf::error& e) { FAIL(to_error(e).message); });
  for (const auto& e : refusals(self, memory, 1)) CHECK(e.code == errc::deadline_exceeded);
  for (const auto& e : refusals(self, memory, 0)) {
    CHECK(e.code == errc::out_of_range);
    CHECK(e.at == "deadline_ms");
  }
  self->request(memory, caf::infinite, get_message{id_of(1), {}, std::int64_t{1'000'000}})
      .receive([](const memory_reply& m) { CHECK(m->head->id == id_of(1)); },
               [](const caf::error& e) { FAIL(to_error(e).message); });
  write_request resting;
  resting.type = memory_type::note;
  resting.data["statement"] = std::string("tea is good");
  resting.provenance.derived_from = {"mneme://Topic/" + to_string(id_of(1)) + "#1"};
  tombstone_request falls;
  falls.uri = {memory_type::topic, id_of(1), 1};
  self->request(memory, caf::infinite, batch_message{{resting, falls}})
      .receive([](const batch_result&) {}, [](const caf::error& e) { FAIL(to_error(e).message); });
  self->request(memory, caf::infinite, stale_message{{.id = id_of(1)}})
      .receive([](const stale_reply& stale) { CHECK(stale->size() == 1); },
               [](const caf::error& e) { FAIL(to_error(e).message); });
  self->request(memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, [](const caf::error& e) { FAIL(to_error(e).message); });
}

TEST_CASE("a host's actor reads the change feed page by page, and does not wait in it") {
  host_config config(4);
  caf::actor_system system(config);
  engine_options options;
  options.embedder_spec = "none";
  auto running = start_engine(system, options);
  REQUIRE(running);
  const engine_actor memory = system.spawn(engine_behavior, *running);
  caf::scoped_actor self(system);
  write_request note;
  note.type = memory_type::note;
  note.data["statement"] = std::string("tea is good");
  for (int i = 0; i < 3; ++i)
    self->request(memory, caf::infinite, apply_message{note})
        .receive([](const mutation_result&) {},
                 [](const caf::error& e) { FAIL(to_error(e).message); });
  changes_request r;
  r.since = seq_no{1};
  self->request(memory, caf::infinite, changes_message{r})
      .receive(
          [](const changes_reply& page) {
            CHECK(page->changes.size() == 2);
            CHECK(page->next == seq_no{3});
          },
          [](const caf::error& e) { FAIL(to_error(e).message); });
  r.wait_ms = 1;
  CHECK(refusal<changes_reply>(self, memory, changes_message{r}).code == errc::unsupported);
  r.wait_ms = 0;
  r.limit = 0;
  CHECK(refusal<changes_reply>(self, memory, changes_message{r}).at == "limit");
  self->request(memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, [](const caf::error& e) { FAIL(to_error(e).message); });
}
