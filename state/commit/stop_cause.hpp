#pragma once
/// Why an engine takes no more writes, or not the newest, for whoever asks how it is.

#include <mutex>
#include <string>
#include <utility>

namespace mneme {

/// Set by the committer; asked from any thread.
class stop_cause {
public:
  void set(std::string why) {
    const std::scoped_lock lock(guard_);
    why_ = std::move(why);
  }
  /// Empty: it takes them.
  [[nodiscard]] std::string get() const {
    const std::scoped_lock lock(guard_);
    return why_;
  }

private:
  mutable std::mutex guard_;
  std::string why_;
};

} // namespace mneme
