#include "tools/library/call_queue.hpp"

#include <algorithm>
#include <utility>

namespace mneme::library {

namespace {

/// Calls spend their time in the engine or at the disk: a few more than there are cores.
std::size_t thread_count() {
  return std::clamp<std::size_t>(2 * std::thread::hardware_concurrency(), 2, 16);
}

thread_local const call_queue* own_queue = nullptr;

} // namespace

bool call_queue::is_one_of_mine() const {
  return own_queue == this;
}

void call_queue::add(std::function<void()> call) {
  {
    const std::lock_guard hold(guard_);
    if (!finished_) {
      if (threads_.empty())
        for (std::size_t i = thread_count(); i > 0; --i) threads_.emplace_back([this] { work(); });
      calls_.push_back(std::move(call));
      call = nullptr;
    }
  }
  if (call == nullptr)
    wake_.notify_one();
  else
    call();
}

void call_queue::finish() {
  std::vector<std::thread> ending;
  {
    const std::lock_guard hold(guard_);
    finished_ = true;
    ending.swap(threads_);
  }
  wake_.notify_all();
  for (auto& thread : ending) thread.join();
}

void call_queue::work() {
  own_queue = this;
  std::unique_lock hold(guard_);
  for (;;) {
    wake_.wait(hold, [this] { return finished_ || !calls_.empty(); });
    if (calls_.empty()) return;
    const auto call = std::move(calls_.front());
    calls_.pop_front();
    hold.unlock();
    call();
    hold.lock();
  }
}

} // namespace mneme::library
