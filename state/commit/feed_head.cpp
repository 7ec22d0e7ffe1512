#include "state/commit/feed_head.hpp"

namespace mneme {

bool feed_head::wait(std::uint32_t rings, std::chrono::steady_clock::time_point until) const {
  const auto is_rung = [&] { return this->rings() != rings; };
  std::unique_lock lock(guard_);
  rung_.wait_until(lock, until, [&] { return has_ended() || is_rung(); });
  return !has_ended() && is_rung();
}

void feed_head::end() {
  ended_.store(true, std::memory_order_release);
  ring();
  const std::scoped_lock lock(guard_); // so that who is about to wait looks again
  rung_.notify_all();
}

void feed_head::carry(std::uint32_t brought) const {
  while (!has_ended()) {
    rings_.wait(brought, std::memory_order_acquire);
    brought = rings(); // before anybody is woken: what is rung from now on is brought next
    const std::scoped_lock lock(guard_);
    rung_.notify_all();
  }
}

} // namespace mneme
