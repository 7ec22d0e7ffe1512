#pragma once
/// Who appends to a log: holds one epoch, knows where the log ends, and finds out what became of a
/// frame that nobody answered for. Its answer about a frame is final: it is in the log, or is not
/// and will not be, or this leader has nothing more to say.

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "journal/log/log_store.hpp"

namespace mneme {

struct leader_options {
  std::string holder;                    ///< a name of its own for each process
  std::chrono::milliseconds lease{2000}; ///< each append extends it
  /// That many times a question is asked whose answer was lost; how long to wait between them is
  /// the store's to say.
  unsigned attempts = 20;
  /// Of its claim: who is in no hurry to lead comes again.
  unsigned attempts_to_claim = 20;
};

class log_leader {
public:
  /// Claims the next epoch, and reads where the log ends under it. busy: somebody's lease runs, or
  /// the log is away; outcome_unknown: it did not say whether the claim is to be relied on.
  static result<std::unique_ptr<log_leader>> claim(std::shared_ptr<log_store> store,
                                                   const leader_options& options);

  [[nodiscard]] const log_tail& tail() const { return tail_; }
  [[nodiscard]] log_epoch epoch() const { return tail_.epoch; }
  [[nodiscard]] log_store& store() { return *store_; }

  /// Behind the last frame, which `frame` names as its previous one.
  ///   ok               it is in the log;
  ///   busy             the log is away: it is not, and the next one may be tried;
  ///   read_only        fenced, or not what this leader believes: it is not; nothing more is taken;
  ///   outcome_unknown  nobody can say now; nothing more is taken;
  ///   corrupt          the log was rolled back; nothing more is taken.
  result<void> append(const log_frame& frame);
  /// Whether an append can be tried at all: busy while the log is away, or what ended this leader.
  result<void> look();

  /// Extends the lease; read_only if it is another's by now.
  result<void> renew();
  /// busy, outcome_unknown: nobody can say now. read_only: fenced.
  result<erase_outcome> erase(std::span<const seq_no> seqs);
  /// Ends the lease, so that the next leader need not wait, as this one's end does. What fails
  /// shows in nothing.
  void let_go();
  ~log_leader();
  log_leader(const log_leader&) = delete;
  log_leader& operator=(const log_leader&) = delete;

private:
  log_leader(std::shared_ptr<log_store> store, const leader_options& options);

  result<void> take_over();
  /// Of a frame that may have been appended. False: it is not there, and may be sent again. Unless
  /// this has ended the leader, an error may pass: it is not known yet.
  result<bool> find(const log_frame& frame);
  void advance(const log_frame& frame);
  std::unexpected<error> end(errc code, std::string why);
  /// The log has said so; who it is may not be known.
  std::unexpected<error> fenced();
  std::unexpected<error> fenced_by(const log_tail& found);

  std::shared_ptr<log_store> store_;
  leader_options options_;
  log_tail tail_;
  std::optional<error> ended_; ///< nothing more is taken, and why
};

} // namespace mneme
