#pragma once
/// A world that is read beside whoever writes it, from its journal: without the lock, and without a
/// trace. What is written meanwhile is seen by reading the journal anew, once it has grown.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "mneme/engine.hpp"

namespace mneme::server {

class kept_fresh {
public:
  using opener = std::function<result<engine>()>;

  /// `target` is what `open` has opened, and is replaced by what it opens later. Borrows it.
  kept_fresh(engine& target, std::string directory, opener open);

  /// The engine stays what it is for as long as this is held.
  std::shared_lock<std::shared_timed_mutex> hold();

private:
  /// What tells a journal that has grown from one that has not.
  struct journal_mark {
    std::size_t segments = 0;
    std::uintmax_t bytes = 0;
    /// Of the newest. The clock of files counts from a time to come: all that it says is below 0.
    std::int64_t written_at = std::numeric_limits<std::int64_t>::min();

    friend bool operator==(const journal_mark&, const journal_mark&) = default;
  };
  [[nodiscard]] journal_mark mark() const;
  void refresh();

  engine& target_;
  std::string directory_;
  opener open_;
  std::shared_timed_mutex replacing_; ///< shared while a request runs
  std::mutex looking_;                ///< of what follows
  journal_mark seen_;
  std::chrono::steady_clock::time_point next_look_;
};

} // namespace mneme::server
