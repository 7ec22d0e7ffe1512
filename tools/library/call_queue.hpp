#pragma once
/// The threads that run calls which nobody waits for in his own.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mneme::library {

class call_queue {
public:
  call_queue() = default;
  ~call_queue() { finish(); }
  call_queue(const call_queue&) = delete;
  call_queue& operator=(const call_queue&) = delete;

  /// Runs `call` soon, in a thread of its own choice; the threads begin with the first call. After
  /// finish() it is run at once, in the caller's.
  void add(std::function<void()> call);
  /// Runs all that was added, and ends the threads. Not from a call.
  void finish();
  /// Whether the caller is a thread of the queue's.
  [[nodiscard]] bool is_one_of_mine() const;

private:
  void work();

  std::mutex guard_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> calls_;
  std::vector<std::thread> threads_;
  bool finished_ = false;
};

} // namespace mneme::library
