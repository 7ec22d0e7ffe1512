// What a host's actors write is prepared before its turn, and stays in the order of its sender.
// Of: actors/preparer_actor.cpp
#include "tests/actors/gated_host.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// An actor whose writes another preparer takes than those of `other`.
std::unique_ptr<caf::scoped_actor> apart_from(const caf::scoped_actor& other, gated_host& host) {
  const auto preparer_of = [&](const caf::scoped_actor& actor) {
    return caf::actor_cast<caf::actor>(actor).id() % host.engine->actors.preparers.size();
  };
  auto one = std::make_unique<caf::scoped_actor>(host.system);
  while (preparer_of(*one) == preparer_of(other))
    one = std::make_unique<caf::scoped_actor>(host.system);
  return one;
}

} // namespace

TEST_CASE("a write whose text takes long to embed keeps the committer for nobody else") {
  gated_host host;
  REQUIRE(host.ask<mutation_result>(apply_message{note_of("tea")}));
  auto held = host.self->request(host.memory, caf::infinite, apply_message{note_of(slow_text)});
  const auto other = apart_from(host.self, host);
  (*other)
      ->request(host.memory, caf::infinite, apply_message{note_of("cup")})
      .receive([](const mutation_result& r) { CHECK(r.seq == seq_no{2}); }, not_expected);
  // What a query reinforces goes straight to the committer.
  auto touching = near_text("tea");
  touching.late_binding = true;
  const auto found = host.ask<find_reply>(find_message{touching});
  REQUIRE(found);
  CHECK((*found)->seq == seq_no{3});
  host.embedder->open();
  held.receive([](const mutation_result& r) { CHECK(r.seq == seq_no{4}); }, not_expected);
  host.close();
}

TEST_CASE("what one actor writes reaches the committer in its order, whatever takes long") {
  gated_host host;
  const auto send = [&](auto message) {
    return host.self->request(host.memory, caf::infinite, std::move(message));
  };
  auto given = note_of("given");
  given.vector = std::vector<float>{1, 2};
  auto slow = send(apply_message{note_of(slow_text)});
  auto batch = send(batch_message{{note_of("a"), given}});
  auto plain = send(apply_message{given});
  auto snapshot = send(snapshot_message{"then", ""});
  auto root = send(root_message{seq_no{5}});
  auto last = send(apply_message{note_of("last")});
  host.embedder->open();
  slow.receive([](const mutation_result& r) { CHECK(r.seq == seq_no{1}); }, not_expected);
  batch.receive([](const batch_result& r) { CHECK(r.seq == seq_no{3}); }, not_expected);
  plain.receive([](const mutation_result& r) { CHECK(r.seq == seq_no{4}); }, not_expected);
  snapshot.receive([](const snapshot_result& r) { CHECK(r.seq == seq_no{5}); }, not_expected);
  root.receive([](const root_set& r) { CHECK(r.seq == seq_no{5}); }, not_expected);
  last.receive([](const mutation_result& r) { CHECK(r.seq == seq_no{6}); }, not_expected);
  CHECK(host.embedder->calls == 3); // once for each text
  host.close();
}

TEST_CASE("a tick's writes are prepared, and refused as in their turn") {
  gated_host host;
  auto tick = std::make_shared<tick_request>();
  auto bad = note_of("leaf");
  bad.importance = 99;
  tick->writes = {scoped_mutation{note_of("tea"), {}}, scoped_mutation{bad, {}},
                  scoped_mutation{note_of("cup"), {}}};
  const auto ticked = host.ask<tick_reply>(tick_message{tick});
  REQUIRE(ticked);
  CHECK((*ticked)->writes[0]);
  CHECK((*ticked)->writes[1].error().at == "importance");
  CHECK((*ticked)->writes[2]);
  CHECK(host.embedder->calls == 2);
  host.close();
}

TEST_CASE("an engine that is closed commits what is still being prepared") {
  gated_host host;
  auto held = host.self->request(host.memory, caf::infinite, apply_message{note_of(slow_text)});
  auto closed = host.self->request(host.memory, caf::infinite, close_message{});
  host.embedder->open();
  held.receive([](const mutation_result& r) { CHECK(r.seq == seq_no{1}); }, not_expected);
  closed.receive([](const closed_reply&) {}, not_expected);
}
