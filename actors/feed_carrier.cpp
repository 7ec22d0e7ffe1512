#include "actors/feed_carrier.hpp"

namespace mneme {

void feed_carrier::start(const world& w) {
  std::call_once(once_, [&] {
    thread_ = std::thread([&feed = w.feed, brought = w.feed.rings()] { feed.carry(brought); });
  });
}

void feed_carrier::join() {
  if (thread_.joinable()) thread_.join();
}

} // namespace mneme
