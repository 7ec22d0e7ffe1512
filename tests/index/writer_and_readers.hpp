#pragma once
/// Runs one writer and some readers of a structure against each other. Readers check what must hold
/// at the seq the writer has published; what they find wrong is counted and checked at the end,
/// since the test framework's assertions belong to one thread. Meant for ThreadSanitizer.

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <thread>
#include <vector>

#include "tests/index/dice.hpp"

namespace mneme {

class writer_and_readers {
public:
  static constexpr int reader_count = 3;

  /// `write(seq)` for 1..`last`; `read(published, dice)` in between and once at the end, true if
  /// everything was as it must be.
  void run(std::uint64_t last, const std::function<void(std::uint64_t)>& write,
           const std::function<bool(std::uint64_t, dice&)>& read) {
    std::vector<std::thread> readers;
    for (int r = 0; r < reader_count; ++r) {
      readers.emplace_back([&, r] {
        dice d(static_cast<std::uint64_t>(r));
        for (bool is_last = false; !is_last;) {
          const std::uint64_t seq = published_.load(std::memory_order_acquire);
          is_last = seq == last;
          if (!read(seq, d)) wrong_.fetch_add(1);
          reads_.fetch_add(1);
        }
      });
    }
    for (std::uint64_t seq = 1; seq <= last; ++seq) {
      write(seq);
      published_.store(seq, std::memory_order_release);
      // On few cores the writer would be done before the readers have begun.
      if (seq % (last / 16 + 1) == 0)
        for (const std::uint64_t before = reads_.load(); reads_.load() == before;)
          std::this_thread::yield();
    }
    for (auto& t : readers) t.join();
    CHECK(wrong_.load() == 0);
    CHECK(reads_.load() >= 16);
  }

private:
  std::atomic<std::uint64_t> published_{0};
  std::atomic<std::uint64_t> wrong_{0};
  std::atomic<std::uint64_t> reads_{0};
};

} // namespace mneme
