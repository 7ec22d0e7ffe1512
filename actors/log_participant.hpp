#pragma once
/// Keeps a process where it is to be on its world's log: fetches what the leader writes and gives
/// it to the committer; takes the lead where it may and nobody has it; renews it, and goes back to
/// following when it is lost. Step by step, whoever takes the steps: a thread (log_member), or a
/// simulator.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
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
  /// It leads from its opening on, and again after it has lost touch with the log, unless another
  /// has led meanwhile: then it takes part no more.
  bool only_leads = false;
  std::shared_ptr<log_standing> standing;
};

/// To the committer of the world.
class committer_line {
public:
  using reply = std::function<void(result<copy_end>)>;

  virtual ~committer_line() = default;
  virtual void tell(commit_command command) = 0;
  /// What it answers to that; shutdown where nobody waits for it any more.
  virtual result<copy_end> ask(const std::function<commit_command(reply)>& command) = 0;
  /// The engine is being closed.
  virtual bool is_over() = 0;
};

class log_participant {
public:
  using milliseconds = std::chrono::milliseconds;

  /// `to` outlives it.
  log_participant(log_membership membership, committer_line& to);

  /// May wait for the network. How long to rest then.
  milliseconds step();
  /// Nothing is left to do here.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// Before the first step.
  [[nodiscard]] milliseconds first_rest() const;

private:
  milliseconds follow();
  milliseconds lead();
  void lose_lead();
  milliseconds fails(const error& why);
  /// The log could not be asked.
  milliseconds is_away(const error& why);
  milliseconds ends();
  result<void> connect();
  /// The copy's end in the log, as frames.
  result<void> locate(const log_tail& tail);
  /// Everything up to `tail`: whether something came.
  result<bool> fetch(log_store& from, const log_tail& tail);
  [[nodiscard]] result<followed_frame> open_frame(log_frame frame, std::uint64_t at) const;
  result<void> deliver(std::vector<log_frame> frames);
  void try_to_lead();
  result<void> take_lead(std::shared_ptr<log_leader> leader);

  log_membership of_;
  committer_line& committer_;
  std::shared_ptr<log_store> log_;
  std::shared_ptr<log_store> spare_; ///< of the leader that this process may become
  std::optional<log_point> at_;      ///< the copy's end; none: it has to be looked for
  milliseconds rest_;
  std::int64_t claims_at_ = 0;
  bool has_ended_ = false;
};

} // namespace mneme
