#pragma once
/// Where the WiredTiger files of one world are. Files that are to be rid of what they hold are made
/// anew in a directory beside, since WiredTiger overwrites nothing: `store`, `store.1`, … and then
/// `store` again. Two at once are what a crash left between; then neither is whole for certain, and
/// both go.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "storage/kv_store.hpp"

namespace mneme {

/// Of one process, from any thread.
class wiredtiger_directories {
public:
  /// `names`: which the directories may have, in the order in which they are taken.
  wiredtiger_directories(std::vector<std::string> names, wiredtiger_options options);

  result<std::unique_ptr<kv_store>> open();
  /// Of files that are not open.
  result<void> remove();
  [[nodiscard]] bool is_there() const;
  /// From now on open() means the next directory. What it gives removes the one before, and is
  /// called once that is closed.
  std::function<void()> retire();
  /// An empty one in the directory that retire() is going to turn to, which nobody else opens.
  result<std::unique_ptr<kv_store>> open_beside();
  /// Removes what open_beside() made, and what is closed; not after retire().
  void remove_beside();

private:
  [[nodiscard]] std::vector<std::size_t> found() const;
  /// Once, before anything is opened; under the guard.
  result<void> settle();
  result<std::string> current();
  [[nodiscard]] std::string next();

  std::vector<std::string> names_;
  wiredtiger_options options_;
  mutable std::mutex guard_; ///< of what follows
  std::size_t current_ = 0;
  bool is_settled_ = false;
};

} // namespace mneme
