#pragma once
/// A callback that is called whatever happens to the request: if every copy of it is gone before
/// somebody answered (an actor ended with the request in its hands), it answers shutdown itself.

#include <functional>
#include <memory>
#include <utility>

#include "mneme/error.hpp"

namespace mneme {

/// Calls `reply` exactly once, from any thread.
template <class T>
std::function<void(result<T>)> sure_reply(std::function<void(result<T>)> reply) {
  struct pending {
    std::function<void(result<T>)> reply;
    explicit pending(std::function<void(result<T>)> r) : reply(std::move(r)) {}
    pending(const pending&) = delete;
    pending& operator=(const pending&) = delete;
    ~pending() {
      if (reply) reply(fail(errc::shutdown, "the engine ended before it could answer"));
    }
  };
  return [once = std::make_shared<pending>(std::move(reply))](result<T> r) {
    if (auto call = std::exchange(once->reply, {})) call(std::move(r));
  };
}

} // namespace mneme
