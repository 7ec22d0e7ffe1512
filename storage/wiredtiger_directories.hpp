#pragma once
/// Where the WiredTiger files of one world are. Files that are to be rid of what they hold are made
/// anew in a directory beside, since WiredTiger overwrites nothing: `store`, then `store.1`, …
/// Two at once are what a crash left between; then neither is whole for certain, and both go.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "storage/kv_store.hpp"

namespace mneme {

/// Of one process, from any thread but for retire().
class wiredtiger_directories {
public:
  wiredtiger_directories(std::string base, wiredtiger_options options);

  result<std::unique_ptr<kv_store>> open();
  /// Of files that are not open.
  result<void> remove();
  [[nodiscard]] bool is_there() const;
  /// From now on open() means the next directory. What it gives removes the one before, and is
  /// called once that is closed.
  std::function<void()> retire();

private:
  [[nodiscard]] std::vector<std::string> found() const;
  [[nodiscard]] std::string current() const;
  /// Once, before anything is opened.
  result<void> settle();

  std::string base_;
  wiredtiger_options options_;
  std::uint32_t number_ = 0;
  bool is_settled_ = false;
};

} // namespace mneme
