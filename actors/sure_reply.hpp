#pragma once
/// A callback that is called whatever happens to the request: if every copy of it is gone before
/// somebody answered (an actor ended with the request in its hands), it answers shutdown itself.

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "messages/ensure.hpp"
#include "mneme/error.hpp"

namespace mneme {

/// Calls `reply` exactly once, from any thread: the first answer counts, however many race.
template <class T>
std::function<void(result<T>)> sure_reply(std::function<void(result<T>)> reply) {
  struct pending {
    std::function<void(result<T>)> reply;
    std::atomic_flag answered{};
    explicit pending(std::function<void(result<T>)> r) : reply(std::move(r)) {
      ensure(reply != nullptr, "a sure reply has somebody to reply to");
    }
    pending(const pending&) = delete;
    pending& operator=(const pending&) = delete;
    ~pending() { answer(fail(errc::shutdown, "the engine ended before it could answer")); }

    /// What the callback holds is let go of with the answer.
    void answer(result<T> r) {
      if (answered.test_and_set()) return;
      std::exchange(reply, {})(std::move(r));
    }
  };
  return [once = std::make_shared<pending>(std::move(reply))](result<T> r) {
    once->answer(std::move(r));
  };
}

} // namespace mneme
