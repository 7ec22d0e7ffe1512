#pragma once
/// The thread that wakes who waits for changes, so that a commit wakes one thread however many
/// wait. It is started by the first who waits.

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "state/world.hpp"

namespace mneme {

struct feed_carrier {
  std::atomic<bool> is_over{false}; ///< nobody waits any more

  feed_carrier() = default;
  feed_carrier(const feed_carrier&) = delete;
  feed_carrier& operator=(const feed_carrier&) = delete;
  /// Precondition: join() came before, if there is a thread.
  ~feed_carrier() = default;

  /// From any thread that the world outlives until join().
  void start(const world& w);
  /// Precondition: the world's feed has ended, and nobody starts it any more.
  void join();

private:
  std::once_flag once_;
  std::thread thread_;
};

} // namespace mneme
