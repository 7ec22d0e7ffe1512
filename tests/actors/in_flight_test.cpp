// What a host has under way is bounded: what it writes, and what it reads.
#include "actors/in_flight.hpp"

#include "tests/actors/gated_host.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("so many requests and bytes are in flight, and one that is larger alone") {
  const in_flight room(2, 100);
  auto first = room.enter(1000);
  REQUIRE(first);
  CHECK(room.enter(1).error().code == errc::busy);
  (*first)->leave();
  (*first)->leave(); // once left it counts no more
  auto small = room.enter(60);
  REQUIRE(small);
  CHECK(room.enter(41).error().code == errc::busy);
  auto second = room.enter(40);
  REQUIRE(second);
  CHECK(room.enter(0).error().code == errc::busy);
  second->reset(); // nobody can answer it any more
  CHECK(room.enter(0));
}

namespace {

template <class Reply, class Message>
bool is_busy(gated_host& host, Message message) {
  const auto answer = host.ask<Reply>(std::move(message));
  return !answer && answer.error().code == errc::busy;
}

} // namespace

TEST_CASE("reads beyond what may be in flight are busy at once, and taken when some have ended") {
  gated_host host(3);
  REQUIRE(host.ask<mutation_result>(apply_message{note_of("tea")}));
  const auto ask_slowly = [&] {
    return host.self->request(host.memory, caf::infinite, find_message{near_text(slow_text)});
  };
  auto first = ask_slowly();
  auto second = ask_slowly();
  auto third = ask_slowly(); // there are two readers: this one waits for them
  const auto plain = near_text("tea");
  auto tick = std::make_shared<tick_request>();
  tick->reads.emplace_back(plain);
  const auto each_is_busy = [&](bool expected) {
    CHECK(is_busy<find_reply>(host, find_message{plain}) == expected);
    CHECK(is_busy<find_many_reply>(host, find_many_message{{plain, plain}}) == expected);
    CHECK(is_busy<memory_reply>(host, get_message{id_of(1), {}}) == expected);
    CHECK(is_busy<root_set>(host, root_message{seq_no{1}}) == expected);
    CHECK(is_busy<tick_reply>(host, tick_message{tick}) == expected);
  };
  each_is_busy(true);
  CHECK(host.ask<mutation_result>(apply_message{note_of("cup")})); // has room of its own
  host.embedder->open();
  for (auto* waiting : {&first, &second, &third})
    waiting->receive([](const find_reply&) {}, not_expected);
  each_is_busy(false);
  host.close();
}

TEST_CASE("what reads hold while they wait is bounded too, of lists and ticks all that they ask") {
  gated_host host(4096, 100'000);
  REQUIRE(host.ask<mutation_result>(apply_message{note_of("tea")}));
  auto first = host.self->request(host.memory, caf::infinite, find_message{near_text(slow_text)});
  const auto plain = near_text("tea");
  find_request large = plain;
  large.where =
      predicate{compare_predicate{comparison::eq, "data.statement", std::string(100'000, 'x')}};
  const auto tick_of = [](std::vector<tick_read> reads, std::vector<tick_write> writes) {
    auto tick = std::make_shared<tick_request>();
    tick->reads = std::move(reads);
    tick->writes = std::move(writes);
    return tick_message{tick};
  };
  const scoped_mutation large_note{note_of(std::string(100'000, 'x'))};
  CHECK(is_busy<find_reply>(host, find_message{large}));
  CHECK(is_busy<find_many_reply>(host, find_many_message{{plain, large}}));
  CHECK(is_busy<tick_reply>(host, tick_of({plain, large}, {})));
  CHECK(is_busy<tick_reply>(host, tick_of({}, {large_note})));
  CHECK_FALSE(is_busy<tick_reply>(host, tick_of({plain}, {})));
  host.embedder->open();
  first.receive([](const find_reply&) {}, not_expected);
  CHECK_FALSE(is_busy<tick_reply>(host, tick_of({plain, large}, {large_note})));
  host.close();
}

TEST_CASE("writes that are still being prepared count for what may be in flight") {
  gated_host host(1);
  auto held = host.self->request(host.memory, caf::infinite, apply_message{note_of(slow_text)});
  CHECK(is_busy<mutation_result>(host, apply_message{note_of("tea")}));
  CHECK(is_busy<proof_reply>(host, prove_message{}));
  host.embedder->open();
  held.receive([](const mutation_result&) {}, not_expected);
  CHECK(host.ask<mutation_result>(apply_message{note_of("tea")}));
  host.close();
}
