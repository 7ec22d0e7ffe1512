#pragma once
/// An answer that is good, and that somebody may still add to: it is given when the last holder
/// lets go of it, whether the addition was made or the engine has ended before.

#include <functional>
#include <utility>

#include "mneme/error.hpp"

namespace mneme {

template <class T>
class pending_answer {
public:
  pending_answer(T good, std::function<void(result<T>)> reply)
      : value(std::move(good)), reply_(std::move(reply)) {}
  pending_answer(const pending_answer&) = delete;
  pending_answer& operator=(const pending_answer&) = delete;
  ~pending_answer() { reply_(std::move(value)); }

  T value; ///< one holder at a time changes it

private:
  std::function<void(result<T>)> reply_; ///< does not throw
};

} // namespace mneme
