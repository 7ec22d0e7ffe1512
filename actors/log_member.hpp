#pragma once
/// A participant of a log in a thread of its own, with connections of its own, which waits for the
/// network.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "actors/log_participant.hpp"

namespace mneme {

class log_member final : private committer_line {
public:
  /// Begins at once. `hand_over`: to the committer of the world.
  log_member(log_membership membership, std::function<void(commit_command)> hand_over);
  /// Ends at once, but for what it has just asked the log.
  ~log_member() override;
  log_member(const log_member&) = delete;
  log_member& operator=(const log_member&) = delete;

private:
  void run();
  void tell(commit_command command) override;
  result<copy_end> ask(const std::function<commit_command(reply)>& command) override;
  bool is_over() override;

  std::function<void(commit_command)> hand_over_;
  log_participant part_;
  std::mutex guard_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::thread thread_;
};

} // namespace mneme
