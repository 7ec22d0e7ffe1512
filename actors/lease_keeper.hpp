#pragma once
/// Keeps a leader's lease from running out while its world is opened: a thread with a connection of
/// its own. That it fails shows in nothing here: whoever is fenced learns it when it appends.

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "state/commit/log_standing.hpp"

namespace mneme {

class lease_keeper {
public:
  /// An engine that writes no more, as `standing` says, lets go of the lease.
  lease_keeper(std::shared_ptr<log_store> log, log_epoch epoch, std::chrono::milliseconds lease,
               std::shared_ptr<log_standing> standing);
  /// Ends at once, but for what it has just asked.
  ~lease_keeper();
  lease_keeper(const lease_keeper&) = delete;
  lease_keeper& operator=(const lease_keeper&) = delete;

private:
  void keep();

  std::shared_ptr<log_store> log_;
  log_epoch epoch_;
  std::chrono::milliseconds lease_;
  std::shared_ptr<log_standing> standing_;
  std::mutex guard_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::thread thread_;
};

} // namespace mneme
