#pragma once
/// Keeps a process where it is to be on its world's log: fetches what the leader writes and gives
/// it to the committer; takes the lead where it may and nobody has it; renews it, and goes back to
/// following when it is lost. A thread with connections of its own, which waits for the network.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mneme/log.hpp"
#include "state/commit/commands.hpp"

namespace mneme {

/// Who takes part in a log, and how.
struct log_membership {
  log_factory logs;
  std::string address;
  std::string holder; ///< a name of its own for each process
  std::chrono::milliseconds lease{2000};
  bool may_lead = false;
  std::shared_ptr<log_standing> standing;
};

class log_member {
public:
  /// Begins at once. `hand_over`: to the committer of the world.
  log_member(log_membership membership, std::function<void(commit_command)> hand_over);
  /// Ends at once, but for what it has just asked the log.
  ~log_member();
  log_member(const log_member&) = delete;
  log_member& operator=(const log_member&) = delete;

private:
  using milliseconds = std::chrono::milliseconds;

  void run();
  /// How long to rest then.
  milliseconds follow();
  milliseconds lead();
  milliseconds fails(const error& why);
  milliseconds stays_halted();
  /// The copy's end in the log, as frames.
  result<void> locate(const log_tail& tail);
  /// Everything up to `tail`: whether something came.
  result<bool> fetch(log_store& from, const log_tail& tail);
  result<void> deliver(std::vector<log_frame> frames);
  void try_to_lead();
  result<void> take_lead(std::shared_ptr<log_leader> leader);
  /// What the committer answers.
  template <class Command>
  result<copy_end> ask(Command command);
  [[nodiscard]] bool is_over();

  log_membership of_;
  std::function<void(commit_command)> hand_over_;
  std::shared_ptr<log_store> log_;
  std::shared_ptr<log_store> spare_; ///< of the leader that this process may become
  std::optional<log_point> at_;      ///< the copy's end; none: it has to be looked for
  milliseconds rest_{};
  std::int64_t claims_at_ = 0;
  std::mutex guard_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::thread thread_;
};

} // namespace mneme
