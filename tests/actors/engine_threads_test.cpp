// Calls of many threads: side by side, while the engine is closed, and over its end.
#include <catch2/catch.hpp>

#include <atomic>
#include <future>
#include <thread>

#include "tests/actors/facts_site.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("many threads write and read at once; every acknowledged write is read back") {
  scratch s;
  engine_options o;
  o.directory = s.world();
  o.embedder_spec = "none";
  o.checkpoint_journal_bytes = 64 << 10; // checkpoints while it runs
  engine e = opened(o);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const std::string text = std::to_string(t) + "-" + std::to_string(i);
        auto done = e.apply(fact(text));
        if (!done) {
          ++wrong;
          continue;
        }
        auto m = e.get(done->uri->id);
        if (!m || std::get<std::string>(m->version->data.at("statement")) != text) ++wrong;
        if (i % 10 == 0 && !e.find(by_type(memory_type::fact, 5))) ++wrong;
        if (i % 40 == 0 && !e.root(done->seq)) ++wrong;
      }
    });
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(e.stats()->memories == 400);
  // The automatic checkpoint is written beside the writes; it may still be under way.
  for (auto now = e.stats(); now->checkpoint_seq.value == 0; now = e.stats()) {
    REQUIRE(now);
    std::this_thread::yield();
  }
  REQUIRE(e.close());
  auto report = verify_world(s.world());
  REQUIRE(report);
  CHECK(report->ok);
  CHECK(report->entries == 400);
}

TEST_CASE("closing waits for the calls of other threads, and later ones answer shutdown") {
  for (int round = 0; round < 20; ++round) {
    engine e = opened(deterministic({}));
    REQUIRE(e.apply(fact("first")));
    std::atomic<int> started{0};
    std::atomic<int> strange{0};
    const auto judge = [&](const auto& r) {
      if (!r && r.error().code != errc::shutdown) ++strange;
      return r.has_value();
    };
    const auto call = [&](auto ask) {
      return std::thread([&, ask] {
        ++started;
        while (judge(ask())) {
        }
      });
    };
    std::vector<std::thread> callers;
    callers.push_back(call([&] { return e.find(by_type(memory_type::fact)); }));
    callers.push_back(call([&] { return e.apply(fact("more")); }));
    callers.push_back(call([&] { return e.stats(); }));
    callers.push_back(call([&] { return e.for_each_memory([](const auto&) { return true; }); }));
    callers.push_back(call([&] { return e.root(seq_no{1}); }));
    callers.push_back(call([&] { return e.checkpoint(); }));
    while (started < 6) std::this_thread::yield();
    CHECK(e.close());
    auto late = e.find(by_type(memory_type::fact));
    REQUIRE_FALSE(late);
    CHECK(late.error().code == errc::shutdown);
    CHECK(e.close().error().code == errc::shutdown);
    for (auto& t : callers) t.join();
    CHECK(strange == 0);
  }
}

TEST_CASE("an engine that one thread has opened ends in another, while the first still runs") {
  std::promise<engine> made;
  std::promise<void> ended;
  std::thread opener([&] {
    made.set_value(std::move(*open_in_memory(deterministic({}))));
    ended.get_future().wait();
  });
  {
    engine e = made.get_future().get();
    CHECK(e.apply(fact("x")));
  }
  ended.set_value();
  opener.join();
}
