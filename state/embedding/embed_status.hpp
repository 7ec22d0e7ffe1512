#pragma once
/// How a remote embedder gets on: written by its actor, read and waited for by anybody.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace mneme {

class embed_status {
public:
  struct report {
    std::uint64_t refused = 0; ///< memories that are not tried again
    std::string problem;       ///< of the last try; empty = none
  };

  void set(report r);
  [[nodiscard]] report get() const;
  /// Until `is_over` says so (asked at first, and after every set()), the time is over, or end().
  /// False after end().
  bool wait(std::int64_t timeout_ms, const std::function<bool(const report&)>& is_over) const;
  /// Nobody waits from now on.
  void end();

private:
  mutable std::mutex guard_;
  mutable std::condition_variable changed_;
  report report_;
  bool ended_ = false;
};

} // namespace mneme
