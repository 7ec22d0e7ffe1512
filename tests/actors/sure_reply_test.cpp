// A callback that is called once, whoever calls it and whoever does not.
// Of: actors/sure_reply.hpp
#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "actors/sure_reply.hpp"

using namespace mneme;

TEST_CASE("a sure reply is called once, however many answers race") {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> calls = 0;
    {
      const auto reply = sure_reply<int>([&](const result<int>&) { ++calls; });
      constexpr int threads = 4;
      std::latch start(threads);
      std::vector<std::jthread> racing;
      for (int t = 0; t < threads; ++t)
        racing.emplace_back([&, t] {
          start.arrive_and_wait();
          reply(t);
        });
    }
    REQUIRE(calls == 1);
  }
}

TEST_CASE("a sure reply that nobody answers says shutdown, and lets go of what it holds") {
  std::optional<result<int>> said;
  const auto held = std::make_shared<int>(7);
  {
    auto reply = sure_reply<int>([&said, held](result<int> r) { said = std::move(r); });
    const auto copy = reply;
    reply = nullptr;
    CHECK_FALSE(said.has_value());
  }
  REQUIRE(said.has_value());
  CHECK(said->error().code == errc::shutdown);
  CHECK(held.use_count() == 1);
  const auto answered = sure_reply<int>([&said, held](result<int> r) { said = std::move(r); });
  answered(3);
  CHECK(**said == 3);
  CHECK(held.use_count() == 1);
}
