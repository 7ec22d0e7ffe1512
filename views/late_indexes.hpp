#pragma once
/// What an opening leaves for later: the indexes of words and of vectors, which have two thirds of
/// the bytes that are to be checked, and which many reads never ask for. They are loaded beside
/// whatever the host does first, or by the first who needs them; until then nobody looks at them.

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "messages/ensure.hpp"
#include "mneme/error.hpp"

namespace mneme {

class late_indexes {
public:
  /// Loads both, and says how many vectors there are. May end with an error once `stops`.
  using load_function = std::function<result<std::uint64_t>(const std::atomic<bool>& stops)>;

  explicit late_indexes(load_function load);
  /// Stops what is being loaded. Precondition: nobody waits.
  ~late_indexes();

  /// Loads them in a thread of its own. Once at most; without it they are loaded by who waits.
  void begin();
  /// From any thread.
  [[nodiscard]] bool are_there() const { return are_there_.load(std::memory_order_acquire); }
  /// Returns when they are there, or why they never will be: what failed once has failed. From any
  /// thread.
  result<void> wait();
  /// For who has waited, or cannot say why they never will be: damage ends the process.
  void ensure_there() { ensure(wait().has_value(), "nobody looks at an index that is damaged"); }
  /// Why they never will be, if that is known.
  [[nodiscard]] std::optional<error> problem() const;
  /// How many vectors were loaded. Precondition: they are there.
  [[nodiscard]] std::uint64_t vectors() const;

private:
  mutable std::mutex guard_; ///< held while they are loaded
  load_function load_;
  std::optional<error> problem_;
  std::uint64_t vectors_ = 0; ///< readers: after `are_there_`
  std::atomic<bool> are_there_{false};
  std::atomic<bool> has_failed_{false};
  std::atomic<bool> stops_{false};
  std::thread beside_;
};

/// An index of views that may be late. Whoever looks at it has waited (read_views::wait_for_late),
/// and so heard of damage; who has not waits here, where damage ends the process.
template <class Index>
class late_index {
public:
  late_index(const Index* index = nullptr, late_indexes* late = nullptr)
      : index_(index), late_(late) {}

  const Index& operator*() const {
    if (late_ != nullptr && !late_->are_there()) late_->ensure_there();
    return *index_;
  }
  const Index* operator->() const { return &**this; }

private:
  const Index* index_;
  late_indexes* late_; ///< null: it has been there from the beginning
};

} // namespace mneme
