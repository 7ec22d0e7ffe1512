// The seeded order of messages: repeatable, different for another seed, first in first out between
// a sender and a receiver; and the streams that all choices come from.
// Of: sim/step_log.cpp
#include <catch2/catch.hpp>

#include <caf/all.hpp>

#include "sim/seeded_scheduler.hpp"

using namespace mneme::sim;

namespace {

struct heard {
  std::string from;
  int number = 0;
  friend bool operator==(const heard&, const heard&) = default;
};

/// Three senders tell one listener 0..9 each; answers what it heard, in its order.
std::vector<heard> gossip(std::uint64_t seed, std::uint64_t* digest = nullptr) {
  std::vector<heard> order;
  random_stream choices(seed, "schedule");
  step_log log;
  {
    caf::actor_system_config config;
    seeded_scheduler::configure(config);
    caf::actor_system system(config);
    seeded_scheduler scheduler(system, choices, log);
    const auto listener = system.spawn([&order](caf::event_based_actor*) -> caf::behavior {
      return {[&order](const std::string& from, int n) { order.push_back({from, n}); }};
    });
    for (const std::string name : {"a", "b", "c"}) {
      const auto sender = system.spawn([=](caf::event_based_actor* self) -> caf::behavior {
        return {[=](int n) { self->send(listener, name, n); }};
      });
      for (int n = 0; n < 10; ++n) caf::anon_send(sender, n);
    }
    for (std::uint64_t step = 1; scheduler.has_job(); ++step) scheduler.run_one(step);
    caf::anon_send_exit(listener, caf::exit_reason::kill);
    CHECK(scheduler.drain(100));
  }
  if (digest != nullptr) *digest = log.digest();
  return order;
}

} // namespace

TEST_CASE("the seed decides the order, and nothing else does") {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  CHECK(gossip(1, &first) == gossip(1, &second));
  CHECK(first == second);
  CHECK(gossip(1) != gossip(2));
}

TEST_CASE("messages of one sender stay in order") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::map<std::string, int> next;
    for (const auto& h : gossip(seed)) CHECK(h.number == next[h.from]++);
    CHECK(next == std::map<std::string, int>{{"a", 10}, {"b", 10}, {"c", 10}});
  }
}

TEST_CASE("a scheduler that is asked for too much says so") {
  random_stream choices(1, "schedule");
  step_log log;
  caf::actor_system_config config;
  seeded_scheduler::configure(config);
  caf::actor_system system(config);
  seeded_scheduler scheduler(system, choices, log);
  CHECK(scheduler.drain(100));
  const auto endless = system.spawn([](caf::event_based_actor* self) -> caf::behavior {
    return {[=](int n) { self->send(self, n); }};
  });
  caf::anon_send(endless, 1);
  CHECK_FALSE(scheduler.drain(1000));
  caf::anon_send_exit(endless, caf::exit_reason::kill);
  CHECK(scheduler.drain(10));
}

TEST_CASE("streams are told apart by seed and name") {
  const auto drawn = [](std::uint64_t seed, std::string_view name) {
    random_stream s(seed, name);
    std::vector<std::uint64_t> values;
    for (int i = 0; i < 4; ++i) values.push_back(s.next());
    return values;
  };
  CHECK(drawn(1, "a") == drawn(1, "a"));
  CHECK(drawn(1, "a") != drawn(1, "b"));
  CHECK(drawn(1, "a") != drawn(2, "a"));
  random_stream s(9, "range");
  for (int i = 0; i < 1000; ++i) {
    const auto n = s.between(-3, 3);
    REQUIRE((n >= -3 && n <= 3));
    REQUIRE(s.below(7) < 7);
  }
}

TEST_CASE("the log tells every difference") {
  step_log a;
  step_log b;
  step_log c;
  a.add(1, "run", 0, 2);
  b.add(1, "run", 0, 2);
  c.add(1, "run", 1, 2);
  CHECK(a.digest() == b.digest());
  CHECK(a.digest() != c.digest());
  a.add(2, "ask", "x");
  b.add(2, "askx");
  CHECK(a.digest() != b.digest());
}
