// mneme inside a host's own actor system: the host's actors talk to the engine's typed handle.
#include <catch2/catch.hpp>

#include <caf/all.hpp>

#include "mneme/caf.hpp"

using namespace mneme;

namespace {

struct host_config : caf::actor_system_config {
  host_config() { configure(*this); }
};

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
                    for (const auto& m : found->memories) own |= m.head.id == written.uri->id;
                    promise.deliver(std::string(own ? "read its own write" : "missed it"));
                  });
            },
            [=](const caf::error& e) mutable { promise.deliver(to_error(e).message); });
    return promise;
  }};
}

} // namespace

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
  self->request(*memory, caf::infinite, apply_message{note(" ")})
      .receive([](const mutation_result&) { FAIL("accepted"); },
               [&](const caf::error& e) {
                 const error back = to_error(e);
                 CHECK(back.code == errc::missing_field);
                 CHECK(back.at == "data.statement");
                 CHECK_FALSE(back.message.empty());
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
