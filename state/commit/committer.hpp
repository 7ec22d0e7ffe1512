#pragma once
/// The order of writes. Takes queued commands, executes them over the published state, and hands
/// out one commit batch at a time; when every owner has it, publishes and replies. Plain class: the
/// committer actor (and nothing else) owns it and moves its batches between the owners.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "state/commit/commands.hpp"
#include "state/commit/rate_limit.hpp"
#include "state/commit/waiting_touches.hpp"
#include "state/execute/agent_commands.hpp"
#include "state/execute/execute.hpp"
#include "state/retention/running_trim.hpp"
#include "state/world.hpp"

namespace mneme {

struct committer_options {
  commit_mode mode = commit_mode::grouped;
  /// Commands that wait, and their bytes; beyond: what somebody asks for is refused with busy. One
  /// command is taken whatever it holds.
  std::size_t max_queued = 4096;
  std::uint64_t max_queued_bytes = 256ULL << 20;
  std::size_t max_entries = 1024;            ///< that a batch gathers before it is closed
  std::uint64_t max_bytes = 32ULL << 20;     ///< of their payloads, likewise
  bool read_only = false;                    ///< refuses whatever would write
  std::function<std::int64_t()> stopwatch{}; ///< of deadlines, in nanoseconds; empty: none is late
};

/// What a write gets, or a checkpoint, that finds no room: `what` it was that did not come about.
error lack_of_room(std::string_view what, const error& cause);

class committer {
public:
  committer(world& w, std::shared_ptr<clock> clock, std::shared_ptr<random_source> random,
            const committer_options& options);
  ~committer();

  /// Queues the command. A stopped engine answers it at once; a full queue does, unless it is what
  /// the engine itself has to say: its vectors and touches, its own barriers, the last one.
  void enqueue(commit_command command);

  /// What to do next. Looks at the ledger come between two batches, one at a time. `batch` set:
  /// give it to every owner, then call complete() or fail(). `copied` set: the frame is the log's,
  /// which the journal takes as it is; without `batch` nobody else gets anything. `sync` set: make
  /// the journal durable,
  /// then call complete() or fail(). `barrier` set: seal and checkpoint, then call passed_barrier()
  /// or fail(). `again` set: nothing for the owners, but call next_round() again, when what has
  /// arrived meanwhile is enqueued.
  struct round {
    std::shared_ptr<const commit_batch> batch{};
    std::shared_ptr<const log_frame> copied{};
    bool barrier = false;
    bool sync = false;
    bool again = false;
  };
  /// Precondition: no round is in progress. Nothing set: the queue is empty.
  round next_round();

  /// The next command erases: nothing else may go on beside what follows it.
  [[nodiscard]] bool is_erasure_next() const;
  /// That goes on since its entry was published, or null.
  [[nodiscard]] const std::shared_ptr<running_trim>& trim_in_progress() const { return trim_; }
  /// Between two rounds: gives readers what it has copied. The batches are those that it misses.
  result<void> adopt_trim(running_trim::batches missed);
  /// Between two rounds, when it is adopted or will not be.
  std::shared_ptr<running_trim> end_trim() { return std::exchange(trim_, nullptr); }
  /// As complete(), which is called later, but without a reply: of an erasure, which is answered
  /// when nothing has what was erased any more.
  void publish();
  /// Every owner has the batch and the journal is durable (if it asked for that): publish, reply.
  void complete();
  /// The checkpoint of the barrier can be written now; writes go on.
  /// Holds the window until release_window(): when the images are written, or will not be.
  checkpoint_job job_at_barrier(ledger_snapshot ledger);
  /// Between two rounds: the indexes go on to keep what the window before the published seq needs.
  void hold_window();
  void release_window() { imaged_.reset(); }
  /// The barrier's reply, to be called when the checkpoint is written or has failed.
  std::function<void(result<seq_no>)> passed_barrier();
  /// Ends the round without passing the barrier; the caller enqueues it again later. Until then it
  /// counts as waiting.
  checkpoint_command defer_barrier();
  /// Answers the round in progress with `why`: its batch is nowhere, and the next round goes on as
  /// if it had not been. Nodes of its new ids stay taken.
  void refuse_round(const error& why);
  /// Answers what waits, but for the engine's own barriers, with `why`; what comes is taken again.
  void refuse_waiting(const error& why);
  /// The log has another leader, and the world one that returns: `outcome` is what the round in
  /// progress gets, if there is one, and what waits to be written is refused. Follows from now on.
  void yield(const error* outcome);
  /// Answers the round in progress with `outcome` and everything queued, now and later, with
  /// `stopped`: the engine takes no more writes.
  void fail(const error& outcome, const error& stopped);

  /// The bug that a simulator plants: answers the round in progress before it is published.
  void testing_reply_early();

  [[nodiscard]] bool in_round() const { return in_round_; }
  /// Precondition: a barrier is in progress. It is that of close().
  [[nodiscard]] bool is_at_last_barrier() const {
    ensure(barrier_.has_value(), "a barrier is in progress");
    return barrier_->last;
  }
  [[nodiscard]] bool is_stopped() const { return stopped_.has_value(); }
  /// What is taken next looks at all indexes, and may change them. (Looks do not.)
  [[nodiscard]] bool needs_all_indexes() const;
  /// Precondition: is_stopped(). What everybody is answered.
  [[nodiscard]] const error& why_stopped() const { return *stopped_; }
  [[nodiscard]] std::size_t queued() const { return queue_.size() + looks_.size() + deferred_; }
  [[nodiscard]] std::uint64_t queued_bytes() const { return queued_bytes_; }

private:
  /// A command that waits, with what it counted for when it came.
  struct waiting {
    commit_command command;
    std::uint64_t bytes = 0;
  };
  /// A look at the ledger that waits for the commands before it.
  struct waiting_look {
    inspect_command command;
    std::int64_t behind = 0; ///< as taken_ counts
  };

  round take_round();
  /// Runs the first look, if the commands before it have been taken.
  void run_look();
  commit_command take_front();
  void publish_queued();
  /// False: the journal has no room for the entries, and the round has been answered so.
  bool has_room_for(std::span<const entry> entries);
  void lacks_room(const error& why);
  /// Answers everybody of the round: as it went (null), or with what ended it.
  void answer_round(const error* problem);
  void refuse_all(const error& why);
  /// Set: the command's deadline has passed.
  [[nodiscard]] std::optional<error> lateness_of(const commit_command& command) const;
  [[nodiscard]] std::optional<error> lateness(const write_deadline& until) const;
  void execute_next(batch_state& batch, bool& durable);
  void execute_one(mutate_command& c, batch_state& batch, bool& durable);
  void execute_one(promote_command& c, batch_state& batch, bool& durable);
  void execute_one(touch_command& c, batch_state& batch, bool& durable);
  void execute_one(late_touch_command& c, batch_state& batch, bool& durable);
  void execute_one(attest_command& c, batch_state& batch, bool& durable);
  void execute_one(compact_command& c, batch_state& batch, bool& durable);
  void execute_one(tick_command& c, batch_state& batch, bool& durable);
  void execute_one(embed_command& c, batch_state& batch, bool& durable);
  void execute_one(snapshot_command& c, batch_state& batch, bool& durable);
  void execute_one(decay_command& c, batch_state& batch, bool& durable);
  void execute_one(erase_command& c, batch_state& batch, bool& durable);
  void execute_one(trim_command& c, batch_state& batch, bool& durable);
  /// Whether it may be done now.
  result<void> check_trim(const trim_command& c);
  /// Before its entry is written: it begins when that is. A failure is answered.
  result<void> prepare_trim(journaled_trim by, running_trim::reply reply);
  result<erase_result> erase(const erase_request& r, batch_state& batch);
  result<void> check_erasure() const;
  result<erase_result> erase_field(const erase_request& r, kv_reader& session, batch_state& batch);
  /// Worlds that have a past with this one.
  result<void> note_branches(erase_result& answer) const;
  result<executed_command> mutate(std::span<const mutation> items, bool is_batch,
                                  std::span<const prepared_ahead> ahead,
                                  const std::shared_ptr<const scope>& within, const asker& sight,
                                  batch_state& batch);
  /// `within`: who writes through a scope, which admits the items; else null. `sight`: who must
  /// see what the items name.
  result<executed_command> execute_for(const asker* within, const asker& sight,
                                       std::span<const mutation> items, bool is_batch,
                                       std::span<const prepared_ahead> ahead, batch_state& batch);
  /// Who writes; a scope must be writable.
  result<asker> writer(const std::string& actor, const std::shared_ptr<const scope>& within,
                       batch_state& batch);
  /// Appends a scope_violation entry, unless the grantee has had too many.
  void violated(scope_violation_payload payload, batch_state& batch);
  result<mutation_result> promote(const promote_request& r, const asker& sight, batch_state& batch);
  result<attest_result> attest(const attest_request& r, batch_state& batch);
  result<compact_result> compact(const compact_request& r, batch_state& batch);
  result<tick_write_answer> write_of_tick(const tick_write& w,
                                          std::span<const prepared_ahead> ahead, const asker& sight,
                                          batch_state& batch);
  /// Makes the touches that wait the first command of the queue, if the next one must find none.
  void settle_touches();
  /// Runs the first command, which is of the log. Set: what the owners have to do for it.
  std::optional<round> take_of_log();
  std::optional<round> take_frame(follow_command command);
  void take_lead(const lead_command& command);
  void finish_trim_of_log();
  /// Nothing more is taken, and the log is the reason.
  void halt(const error& why);
  /// Those that are neither barriers nor the log's.
  void refuse_waiting_writes(const error& why);
  [[nodiscard]] copy_end end_of_copy() const;
  /// Whether it may be queued here.
  [[nodiscard]] std::optional<error> refusal_of(const commit_command& command) const;
  /// Appends what a read leaves; answers the seq of the last entry then. limit_exceeded if it has
  /// no room.
  result<seq_no> touch(entry_payload payload, batch_state& batch);
  /// The touches that wait for others.
  void touch_late(batch_state& batch);
  /// Answers when the batch is published, or has failed. A refusal waits too: it may rest on an
  /// earlier command of the batch.
  template <class Answer>
  void answer_later(std::function<void(result<Answer>)> reply, result<Answer> answer);
  void publish_batch();
  result<kv_reader*> reader();

  world& world_;
  std::shared_ptr<clock> clock_;
  id_source ids_;
  committer_options options_;
  waiting_touches touches_;           ///< of batched chroma queries
  rate_limit violations_{10, 20};     ///< by grantee
  rate_limit attests_{1, 5};          ///< by (actor, intent)
  std::unique_ptr<kv_reader> reader_; ///< opened at the first write
  std::deque<waiting> queue_;
  std::deque<waiting_look> looks_;
  std::size_t deferred_ = 0;                               ///< barriers that the caller keeps
  std::int64_t taken_ = 0;                                 ///< commands that have left the queue
  std::uint64_t queued_bytes_ = 0;                         ///< of both
  std::vector<std::function<void(const error*)>> replies_; ///< of the round in progress
  std::shared_ptr<const commit_batch> batch_;
  std::uint32_t slot_before_ = 0; ///< of batch_
  bool is_copied_ = false;        ///< the round is of a frame of the log
  bool erases_ = false;           ///< the round erases, and is published
  std::optional<checkpoint_command> barrier_;
  std::shared_ptr<running_trim> asked_trim_; ///< of the round in progress
  std::shared_ptr<running_trim> trim_;
  std::optional<seq_no> imaged_; ///< of the checkpoint or copy that is being made
  std::optional<error> stopped_;
  bool in_round_ = false;
};

} // namespace mneme
