#pragma once
/// How far the change feed may be told, and who waits for it to go on. The committer moves it and
/// rings; it does not know who waits. The ring reaches one carrier (carry()), which wakes all
/// others, so that a commit costs the same however many wait.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "messages/ensure.hpp"
#include "mneme/ids.hpp"

namespace mneme {

class feed_head {
public:
  // The committer, and who opens the world.
  /// Everything up to `seq` survives whatever happens.
  void durable_through(seq_no seq) {
    ensure(seq >= durable(), "what is durable stays so");
    durable_.store(seq.value, std::memory_order_release);
  }
  /// There is more to tell than before. Never waits.
  void ring() {
    rings_.fetch_add(1, std::memory_order_release);
    rings_.notify_all();
  }

  // Readers, from any thread.
  [[nodiscard]] seq_no durable() const { return {durable_.load(std::memory_order_acquire)}; }
  [[nodiscard]] std::uint32_t rings() const { return rings_.load(std::memory_order_acquire); }
  /// Until it was rung after `rings`, or it is `until`. False: it is, or nobody waits any more.
  bool wait(std::uint32_t rings, std::chrono::steady_clock::time_point until) const;
  /// Nobody waits from now on.
  void end();
  [[nodiscard]] bool has_ended() const { return ended_.load(std::memory_order_acquire); }

  /// Brings every ring after `brought` to who waits, until end(). Of one thread.
  void carry(std::uint32_t brought) const;

private:
  std::atomic<std::uint64_t> durable_{0};
  std::atomic<std::uint32_t> rings_{0};
  std::atomic<bool> ended_{false};
  mutable std::mutex guard_;
  mutable std::condition_variable rung_;
};

} // namespace mneme
