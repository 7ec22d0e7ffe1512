// reclaimer: nothing is freed while a reader that may hold it is inside, everything afterwards.
#include "index/reclamation.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace mneme {

namespace {

int freed = 0;
int object = 0;

void count_freed(void*) {
  ++freed;
}

void retire_some(reclaimer& r, int count) {
  for (int i = 0; i < count; ++i) r.retire(&object, count_freed);
}

} // namespace

TEST_CASE("what was retired is freed when no reader is inside") {
  freed = 0;
  {
    reclaimer r;
    retire_some(r, 1000);
    CHECK(freed > 900);
    CHECK(r.waiting() < 100);
  }
  CHECK(freed == 1000);
}

TEST_CASE("a reader keeps what was retired while it was inside, and no more") {
  freed = 0;
  reclaimer r;
  retire_some(r, 64);
  const int before = freed;
  {
    const reclaimer::guard inside(r);
    retire_some(r, 1000);
    CHECK(freed <= before + 64);
  }
  retire_some(r, 64);
  CHECK(freed > 1000);
}

TEST_CASE("more readers than there are slots are kept out of danger too") {
  freed = 0;
  reclaimer r;
  std::vector<std::unique_ptr<reclaimer::guard>> guards;
  for (int i = 0; i < 200; ++i) guards.push_back(std::make_unique<reclaimer::guard>(r));
  retire_some(r, 500);
  CHECK(freed == 0);
  guards.erase(guards.begin(), guards.begin() + 64); // those with a slot leave
  retire_some(r, 500);
  CHECK(freed == 0);
  guards.clear();
  retire_some(r, 64);
  CHECK(freed > 900);
}

TEST_CASE("readers in other threads see live objects only") {
  struct node {
    std::atomic<int> alive{1};
  };
  reclaimer r;
  std::atomic<node*> current{new node};
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> reads{0};
  std::atomic<std::uint64_t> dead_reads{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&] {
      while (!done.load()) {
        const reclaimer::guard inside(r);
        const node* n = current.load(std::memory_order_acquire);
        if (n->alive.load(std::memory_order_relaxed) != 1) dead_reads.fetch_add(1);
        reads.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  for (int i = 0; i < 20'000 || reads.load() < 10'000; ++i) {
    node* const old = current.exchange(new node, std::memory_order_acq_rel);
    r.retire(old, [](void* n) {
      static_cast<node*>(n)->alive.store(0, std::memory_order_relaxed);
      delete static_cast<node*>(n);
    });
  }
  done.store(true);
  for (auto& t : readers) t.join();
  delete current.load();
  CHECK(dead_reads.load() == 0);
}

} // namespace mneme
