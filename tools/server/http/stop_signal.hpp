#pragma once
/// SIGTERM and SIGINT as a call in a thread of its own. Made before any other thread, so that all
/// of them leave these signals alone. A second signal ends the process at once.

#include <functional>
#include <thread>

namespace mneme::server {

class stop_signal {
public:
  stop_signal();
  ~stop_signal();
  stop_signal(const stop_signal&) = delete;
  stop_signal& operator=(const stop_signal&) = delete;

  /// Once. `stop` is called at most once.
  void on_stop(std::function<void()> stop);
  /// `stop` is not called any more; returns when it is not under way.
  void forget();

private:
  std::thread waiter_;
};

} // namespace mneme::server
