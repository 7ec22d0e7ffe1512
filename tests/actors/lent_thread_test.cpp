// Callers of the facade lend their threads to the committer.
#include <catch2/catch.hpp>

#include <atomic>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "actors/lent_thread.hpp"
#include "actors/running_engine.hpp"
#include "tests/actors/facts_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// The committer asks it in its turn.
class thread_clock final : public clock {
public:
  timestamp now() override {
    const std::lock_guard guard(mutex_);
    asked_by_.insert(std::this_thread::get_id());
    return {++last_};
  }
  [[nodiscard]] bool was_asked_by(std::thread::id who) {
    const std::lock_guard guard(mutex_);
    return asked_by_.contains(who);
  }

private:
  std::mutex mutex_;
  std::set<std::thread::id> asked_by_;
  std::int64_t last_ = 946'684'800'000'000'000;
};

} // namespace

TEST_CASE("where the committer rests, a write is committed in the thread that calls") {
  auto time = std::make_shared<thread_clock>();
  engine_options o;
  o.embedder_spec = "none";
  o.clock = time;
  engine e = opened(o);
  // It may still be at the end of a turn that somebody else began.
  for (int i = 0; !time->was_asked_by(std::this_thread::get_id()); ++i) {
    REQUIRE(i < 100'000);
    REQUIRE(e.apply(fact("one")));
    std::this_thread::yield();
  }
}

TEST_CASE(
    "writes of many threads that lend themselves are all answered, each thread's in its order") {
  engine_options o;
  o.embedder_spec = "none";
  engine e = opened(o);
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        seq_no last;
        for (int i = 0; i < 200; ++i) {
          auto done = e.apply(fact("one"), i % 2 == 0 ? durability::durable : durability::relaxed);
          if (!done || done->seq <= last || e.published() < done->seq) ++wrong;
          if (done) last = done->seq;
        }
      });
  }
  CHECK(wrong == 0);
  CHECK(e.published() == seq_no{1600});
}

TEST_CASE("what a lent thread does not wait for is done by the scheduler") {
  host_config config(2);
  caf::actor_system system(config);
  auto opened_world = open_engine(deterministic(""));
  REQUIRE(opened_world);
  opened_world->actors.threads = thread_use::lent_threads;
  auto running = start_engine(system, std::move(*opened_world));
  std::promise<bool> written;
  {
    lent_thread here(running->actors.committer);
    here.hand_over(mutate({fact("first")}, false, durability::durable, {}, {}, {}, {},
                          [&](const result<batch_result>& r) { written.set_value(bool(r)); }));
  }
  CHECK(written.get_future().get());
  stop_actors(running->actors);
  running->actors = {};
  system.await_all_actors_done();
}
