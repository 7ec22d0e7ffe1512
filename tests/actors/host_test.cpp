// mneme inside a host's own actor system: the host's actors talk to the engine's typed handle.
// Of: actors/engine_actor.cpp, actors/engine_life.cpp, actors/host_queries.cpp
// Of: actors/host_reads.cpp, actors/host_writes.cpp, actors/caf_errors.cpp
// Of: actors/running_engine.cpp, actors/coordinator_actor.cpp
#include <catch2/catch.hpp>

#include <caf/all.hpp>

#include "actors/engine_actor.hpp"
#include "mneme/caf.hpp"
#include "tests/actors/engine_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

write_request note(const std::string& text) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = text;
  return r;
}

engine_options in_memory() {
  engine_options o;
  o.embedder_spec = "none";
  return o;
}

/// An agent of the host: writes a note, and when that is durable asks what there is.
caf::behavior agent(caf::event_based_actor* self, engine_actor memory, std::string name) {
  return {[=](caf::ok_atom) -> caf::result<std::string> {
    auto promise = self->make_response_promise<std::string>();
    self->request(memory, caf::infinite, apply_message{note("by " + name)})
        .then(
            [=](const mutation_result& written) mutable {
              find_request f;
              f.types = {memory_type::note};
              f.limit = 100;
              self->request(memory, caf::infinite, find_message{f})
                  .then([=](const find_reply& found) mutable {
                    bool own = false;
                    for (const auto& m : found->memories) own |= m.head->id == written.uri->id;
                    promise.deliver(std::string(own ? "read its own write" : "missed it"));
                  });
            },
            [=](const caf::error& e) mutable { promise.deliver(to_error(e).message); });
    return promise;
  }};
}

} // namespace

TEST_CASE("an actor system that was not configured is refused, and told what to do") {
  caf::actor_system_config config;
  caf::actor_system system(config);
  const auto refused = spawn(system, in_memory());
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::unsupported);
  CHECK(refused.error().message.starts_with("call mneme::configure()"));
}

TEST_CASE("a host's actors write and read through the typed handle") {
  host_config config;
  caf::actor_system system(config);
  auto memory = mneme::spawn(system, in_memory());
  REQUIRE(memory);
  caf::scoped_actor self(system);
  for (int i = 0; i < 20; ++i) {
    auto a = system.spawn(agent, *memory, "agent " + std::to_string(i));
    self->request(a, caf::infinite, caf::ok_atom::value)
        .receive([](const std::string& said) { CHECK(said == "read its own write"); },
                 [](const caf::error& e) { FAIL(to_string(e)); });
  }
  find_many_message many;
  for (int i = 0; i < 5; ++i) {
    find_request f;
    f.types = {memory_type::note};
    f.limit = i + 1;
    many.requests.push_back(f);
  }
  many.requests.emplace_back(); // unbounded: fails alone
  self->request(*memory, caf::infinite, many)
      .receive(
          [](const find_many_reply& r) {
            REQUIRE(r.results.size() == 6);
            for (std::size_t i = 0; i < 5; ++i) {
              REQUIRE(r.results[i]);
              CHECK((*r.results[i])->memories.size() == i + 1);
              CHECK((*r.results[i])->at_seq == seq_no{20});
            }
            CHECK(r.results[5].error().code == errc::unbounded);
          },
          [](const caf::error& e) { FAIL(to_string(e)); });
  self->request(*memory, caf::infinite, batch_message{{note("a"), note("b")}})
      .receive([](const batch_result& r) { CHECK(r.seq == seq_no{22}); },
               [](const caf::error& e) { FAIL(to_string(e)); });
  self->request(*memory, caf::infinite, snapshot_message{"tick 1", ""})
      .receive([](const snapshot_result& r) { CHECK(r.manifest.seq == seq_no{22}); },
               [](const caf::error& e) { FAIL(to_string(e)); });
  self->request(*memory, caf::infinite, root_message{seq_no{22}})
      .receive([](const root_set& r) { CHECK(r.seq == seq_no{22}); },
               [](const caf::error& e) { FAIL(to_string(e)); });
  self->request(*memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, [](const caf::error& e) { FAIL(to_string(e)); });
}

TEST_CASE("errors travel as caf::error with code, text and place") {
  host_config config;
  caf::actor_system system(config);
  auto memory = mneme::spawn(system, in_memory());
  REQUIRE(memory);
  caf::scoped_actor self(system);
  write_request wrong = note(" ");
  wrong.importance = 12;
  self->request(*memory, caf::infinite, apply_message{wrong})
      .receive([](const mutation_result&) { FAIL("accepted"); },
               [&](const caf::error& e) {
                 const error back = to_error(e);
                 CHECK(back.code == errc::missing_field);
                 CHECK(back.at == "data.statement");
                 CHECK_FALSE(back.message.empty());
                 REQUIRE(back.faults.size() == 2);
                 CHECK(back.faults[1].code == errc::out_of_range);
                 CHECK(back.faults[1].at == "importance");
                 CHECK(back.message.ends_with(back.faults[1].message));
                 CHECK(system.render(e).find("missing_field") != std::string::npos);
               });
  self->request(*memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, [](const caf::error& e) { FAIL(to_string(e)); });
}

TEST_CASE("an engine that its host forgets to close ends with the actor system") {
  host_config config;
  caf::actor_system system(config);
  auto memory = mneme::spawn(system, in_memory());
  REQUIRE(memory);
  caf::scoped_actor self(system);
  self->request(*memory, caf::infinite, apply_message{note("x")})
      .receive([](const mutation_result&) {}, [](const caf::error& e) { FAIL(to_string(e)); });
  caf::anon_send_exit(*memory, caf::exit_reason::user_shutdown);
}

TEST_CASE("every request is answered when an actor of the engine dies under it") {
  host_config config;
  caf::actor_system system(config);
  auto running = start_engine(system, in_memory());
  REQUIRE(running);
  const caf::actor victims[] = {(*running)->actors.coordinator, (*running)->actors.committer,
                                (*running)->actors.readers.front(),
                                (*running)->actors.preparers.front()};
  const std::size_t victim = GENERATE(0U, 1U, 2U, 3U);
  const caf::actor dying = victims[victim];
  const engine_actor memory = system.spawn(engine_behavior, std::move(*running));
  caf::scoped_actor self(system);
  find_request f;
  f.types = {memory_type::note};
  f.limit = 10;
  find_many_message many{{f, f, {}}};
  std::size_t answered = 0;
  const auto failed = [&](const caf::error&) { ++answered; };
  const auto hang = std::chrono::minutes(5); // never waited for
  for (int i = 0; i < 200; ++i) {
    if (i == 100) caf::anon_send_exit(dying, caf::exit_reason::kill);
    self->request(memory, hang, find_message{f})
        .receive([&](const find_reply&) { ++answered; }, failed);
    self->request(memory, hang, many).receive([&](const find_many_reply&) { ++answered; }, failed);
    self->request(memory, hang, apply_message{note("x")})
        .receive([&](const mutation_result&) { ++answered; }, failed);
  }
  CHECK(answered == 600);
}

TEST_CASE("an engine that is ended in the midst of queries answers them all") {
  host_config config;
  caf::actor_system system(config);
  auto memory = mneme::spawn(system, in_memory());
  REQUIRE(memory);
  caf::scoped_actor self(system);
  find_request f;
  f.types = {memory_type::note};
  f.limit = 10;
  std::size_t answered = 0;
  const auto boss = caf::actor_cast<caf::actor>(self);
  std::vector<caf::actor> askers;
  for (int i = 0; i < 100; ++i) {
    askers.push_back(system.spawn([f, boss, to = *memory](caf::event_based_actor* asker) {
      const auto tell = [=] { asker->send(boss, caf::ok_atom::value); };
      asker->request(to, caf::infinite, find_message{f})
          .then([=](const find_reply&) { tell(); }, [=](const caf::error&) { tell(); });
    }));
    if (i == 50) caf::anon_send_exit(*memory, caf::exit_reason::user_shutdown);
  }
  while (answered < 100) self->receive([&](caf::ok_atom) { ++answered; });
  CHECK(answered == 100);
}

TEST_CASE("relaxed writes alone become durable in the end") {
  host_config config;
  caf::actor_system system(config);
  auto running = start_engine(system, in_memory());
  REQUIRE(running);
  const auto world = (*running)->state;
  const engine_actor memory = system.spawn(engine_behavior, std::move(*running));
  caf::scoped_actor self(system);
  const std::string text(100'000, 'x');
  for (int i = 0; i < 60; ++i)
    self->request(memory, caf::infinite, apply_message{note(text), durability::relaxed})
        .receive([](const mutation_result&) {}, [](const caf::error& e) { FAIL(to_string(e)); });
  // Between two batches the journal rests.
  CHECK(world->journal->durable_through() >= seq_no{30});
  self->request(memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, [](const caf::error& e) { FAIL(to_string(e)); });
}

TEST_CASE("a host's actor promotes a chunk as the facade does") {
  host_config config;
  caf::actor_system system(config);
  auto memory = mneme::spawn(system, in_memory());
  REQUIRE(memory);
  caf::scoped_actor self(system);
  write_request chunk;
  chunk.type = memory_type::chunk;
  chunk.id = id_of(1);
  chunk.data["content"] = "tea is at five";
  chunk.data["path"] = "a.md";
  write_request made = note("tea at five");
  made.id = id_of(2);
  self->request(*memory, caf::infinite, batch_message{{chunk, made}})
      .receive([](const batch_result&) {}, [](const caf::error& e) { FAIL(to_error(e).message); });
  self->request(*memory, caf::infinite, promote_message{{id_of(1), id_of(2), ""}})
      .receive(
          [](const mutation_result& r) {
            CHECK(r.seq == seq_no{3});
            CHECK(r.uri->version == 2);
          },
          [](const caf::error& e) { FAIL(to_error(e).message); });
  self->request(*memory, caf::infinite, get_message{id_of(1), {}})
      .receive(
          [](const memory_reply& m) {
            CHECK(std::get<memory_id>(m->version->data.at("promoted_to")) == id_of(2));
          },
          [](const caf::error& e) { FAIL(to_error(e).message); });
  const auto refused = [&](const memory_id& of, const memory_id& to) {
    std::string at;
    self->request(*memory, caf::infinite, promote_message{{of, to, ""}})
        .receive([](const mutation_result&) { FAIL("promoted"); },
                 [&](const caf::error& e) { at = to_error(e).at; });
    return at;
  };
  CHECK(refused(id_of(2), id_of(2)) == "chunk");
  CHECK(refused(id_of(9), id_of(2)) == "chunk");
  CHECK(refused(id_of(1), id_of(1)) == "memory");
  CHECK(refused(id_of(1), id_of(9)) == "memory");
  self->request(*memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, [](const caf::error& e) { FAIL(to_string(e)); });
}

TEST_CASE("a host writes in the sight of an actor") {
  host_config config;
  caf::actor_system system(config);
  auto memory = mneme::spawn(system, in_memory());
  REQUIRE(memory);
  caf::scoped_actor self(system);
  write_request hers = note("hers");
  hers.id = id_of(1);
  hers.actor = "ana";
  tombstone_request ends;
  ends.uri = {memory_type::note, id_of(1), 1};
  const promote_request promotion{id_of(1), id_of(1), ""};
  auto tick = std::make_shared<tick_request>();
  tick->writes.emplace_back(scoped_mutation{.request = ends});
  tick->in_sight_of = "ben";
  self->request(*memory, caf::infinite, apply_message{.request = hers, .in_sight_of = "ben"})
      .receive([](const mutation_result&) {},
               [](const caf::error& e) { FAIL(to_error(e).message); });
  const auto refused = [&](auto message) {
    std::string told;
    using answer =
        std::conditional_t<std::is_same_v<decltype(message), tick_message>, tick_reply,
                           std::conditional_t<std::is_same_v<decltype(message), batch_message>,
                                              batch_result, mutation_result>>;
    self->request(*memory, caf::infinite, message)
        .receive([](const answer&) { FAIL("written"); },
                 [&](const caf::error& e) {
                   const error why = to_error(e);
                   told = std::string(to_string(why.code)) + " " + why.at;
                 });
    return told;
  };
  CHECK(refused(apply_message{.request = ends, .in_sight_of = "ben"}) == "not_found uri");
  CHECK(refused(batch_message{.items = {ends}, .in_sight_of = "ben"}) == "not_found items[0].uri");
  CHECK(refused(promote_message{promotion, {}, "ben"}) == "not_found chunk");
  CHECK(refused(promote_message{promotion, {}, "ana"}) == "type_data_mismatch chunk");
  CHECK(refused(tick_message{tick}) == "not_found writes[0].uri");
  self->request(*memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, [](const caf::error& e) { FAIL(to_string(e)); });

  auto facade = open_in_memory();
  REQUIRE(facade);
  REQUIRE(facade->apply(hers, durability::durable, {}, {}, "ben"));
  CHECK(facade->apply(ends, durability::durable, {}, {}, "ben").error().at == "uri");
  CHECK(facade->write_batch({ends}, durability::durable, {}, {}, "ben").error().at
        == "items[0].uri");
  CHECK(facade->promote(promotion, {}, "ben").error().code == errc::not_found);
  CHECK(facade->tick(*tick).error().at == "writes[0].uri");
  CHECK(facade->apply(ends, durability::durable, {}, {}, "ana"));
}

TEST_CASE("a write that names a deadline is refused only if it is late") {
  host_config config;
  caf::actor_system system(config);
  auto memory = mneme::spawn(system, in_memory());
  REQUIRE(memory);
  caf::scoped_actor self(system);
  apply_message in_time{note("x")};
  in_time.deadline_ms = std::numeric_limits<std::int64_t>::max();
  self->request(*memory, caf::infinite, in_time)
      .receive([](const mutation_result& r) { CHECK(r.seq == seq_no{1}); },
               [](const caf::error& e) { FAIL(to_error(e).message); });
  batch_message never{{note("y")}};
  never.deadline_ms = 0;
  self->request(*memory, caf::infinite, never)
      .receive([](const batch_result&) { FAIL("accepted"); },
               [](const caf::error& e) {
                 CHECK(to_error(e).code == errc::out_of_range);
                 CHECK(to_error(e).at == "deadline_ms");
               });
  self->request(*memory, caf::infinite, close_message{})
      .receive([](const closed_reply&) {}, [](const caf::error& e) { FAIL(to_string(e)); });
}
