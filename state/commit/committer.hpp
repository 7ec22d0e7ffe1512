#pragma once
/// The order of writes. Takes queued commands, executes them over the published state, and hands
/// out one commit batch at a time; when every owner has it, publishes and replies. Plain class: the
/// committer actor (and nothing else) owns it and moves its batches between the owners.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mneme/tick.hpp"
#include "state/commit/rate_limit.hpp"
#include "state/commit/waiting_touches.hpp"
#include "state/execute/agent_commands.hpp"
#include "state/execute/execute.hpp"
#include "state/execute/execute_embed.hpp"
#include "state/world.hpp"

namespace mneme {

struct mutate_command {
  std::vector<mutation> items;
  bool is_batch = false;
  mneme::durability durability = mneme::durability::durable;
  std::shared_ptr<const mneme::scope> scope{}; ///< as it came
  std::function<void(result<batch_result>)> reply;
};
/// What a read leaves in the journal: what a query reinforces, or that a single read went outside
/// its scope.
struct touch_command {
  entry_payload payload;
  std::function<void(result<seq_no>)> reply;
};
/// What a query reinforces that was answered already: it may wait for others.
struct late_touch_command {
  reinforce_payload payload;
  timestamp asked_at;                             ///< its waiting counts from then
  std::function<void(result<seq_no>)> reply = {}; ///< none is expected
};
/// Vectors that a remote embedder has made. What they no longer fit is passed over.
struct embed_command {
  std::vector<late_vector> items;
  std::function<void(result<seq_no>)> reply;
};
struct attest_command {
  attest_request request;
  std::function<void(result<attest_result>)> reply;
};
struct compact_command {
  compact_request request;
  std::function<void(result<compact_result>)> reply;
};
/// The end of a tick: what its reads touched, and its writes.
struct tick_touch {
  std::string actor; ///< of the read
  entry_payload payload;
};
struct tick_commit {
  std::vector<seq_no> touches; ///< seqs of their entries, in the order given
  std::vector<result<tick_write_answer>> writes;
  seq_no seq;
};
struct tick_command {
  std::vector<tick_touch> touches; ///< in the order of the reads
  std::vector<tick_write> writes;
  std::function<void(result<tick_commit>)> reply;
};
struct snapshot_command {
  std::string reason;
  std::string actor;
  std::function<void(result<snapshot_result>)> reply;
};
/// A decay cycle of the colour space; stands alone in its frame.
struct decay_command {
  std::string actor;
  std::function<void(result<decay_result>)> reply;
};
/// A frame barrier: everything before it is applied and durable, the last root is sealed.
struct checkpoint_command {
  std::function<void(result<seq_no>)> reply; ///< may be empty
  bool last = false; ///< the engine closes: whatever comes behind it is refused
};
/// Looks at the ledger between two batches, when it and the store agree: roots of earlier seqs,
/// proofs.
struct inspect_command {
  std::function<void(world&)> run;
  std::function<void(std::unexpected<error>)> reply; ///< only if it cannot be run
};
using commit_command =
    std::variant<mutate_command, touch_command, late_touch_command, attest_command, compact_command,
                 tick_command, embed_command, snapshot_command, decay_command, checkpoint_command,
                 inspect_command>;

struct committer_options {
  commit_mode mode = commit_mode::grouped;
  std::size_t max_queued = 4096;         ///< commands; beyond: writes are refused with busy
  std::size_t max_entries = 1024;        ///< that a batch gathers before it is closed
  std::uint64_t max_bytes = 32ULL << 20; ///< of their payloads, likewise
  bool read_only = false;                ///< refuses whatever would write
};

class committer {
public:
  committer(world& w, std::shared_ptr<clock> clock, std::shared_ptr<random_source> random,
            const committer_options& options);
  ~committer();

  /// Queues the command; a stopped engine answers it at once, a full queue does if it is a write.
  void enqueue(commit_command command);

  /// What to do next. `batch` set: give it to every owner, then call complete() or fail().
  /// `sync` set: make the journal durable, then call complete() or fail().
  /// `barrier` set: seal and checkpoint, then call passed_barrier() or fail().
  struct round {
    std::shared_ptr<const commit_batch> batch;
    bool barrier = false;
    bool sync = false;
  };
  /// Precondition: no round is in progress. Nothing set: the queue is empty.
  round next_round();

  /// Every owner has the batch and the journal is durable (if it asked for that): publish, reply.
  void complete();
  /// The checkpoint of the barrier can be written now; writes go on.
  /// Until checkpoint_done() the indexes keep what the images need for the window before them.
  checkpoint_job job_at_barrier(std::string ledger_image);
  /// The job's images are written, or will not be.
  void checkpoint_done() { imaged_.reset(); }
  /// The barrier's reply, to be called when the checkpoint is written or has failed.
  std::function<void(result<seq_no>)> passed_barrier();
  /// Ends the round without passing the barrier; the caller enqueues it again later.
  checkpoint_command defer_barrier();
  /// Answers the round in progress with `outcome` and everything queued, now and later, with
  /// `stopped`: the engine takes no more writes.
  void fail(const error& outcome, const error& stopped);

  /// The bug that a simulator plants: answers the round in progress before it is published.
  void testing_reply_early();

  [[nodiscard]] bool in_round() const { return in_round_; }
  [[nodiscard]] bool is_stopped() const { return stopped_.has_value(); }
  [[nodiscard]] std::size_t queued() const { return queue_.size(); }

private:
  round take_round();
  void execute_next(batch_state& batch, bool& durable);
  void execute_one(mutate_command& c, batch_state& batch, bool& durable);
  void execute_one(touch_command& c, batch_state& batch, bool& durable);
  void execute_one(late_touch_command& c, batch_state& batch, bool& durable);
  void execute_one(attest_command& c, batch_state& batch, bool& durable);
  void execute_one(compact_command& c, batch_state& batch, bool& durable);
  void execute_one(tick_command& c, batch_state& batch, bool& durable);
  void execute_one(embed_command& c, batch_state& batch, bool& durable);
  void execute_one(snapshot_command& c, batch_state& batch, bool& durable);
  void execute_one(decay_command& c, batch_state& batch, bool& durable);
  result<executed_command> mutate(std::span<const mutation> items, bool is_batch,
                                  const std::shared_ptr<const scope>& within, batch_state& batch);
  /// `within`: who writes through a scope, which admits the items; else null.
  result<executed_command> execute_for(const asker* within, std::span<const mutation> items,
                                       bool is_batch, batch_state& batch);
  /// Who writes; a scope must be writable.
  result<asker> writer(const std::string& actor, const std::shared_ptr<const scope>& within,
                       batch_state& batch);
  /// Appends a scope_violation entry, unless the grantee has had too many.
  void violated(scope_violation_payload payload, batch_state& batch);
  result<attest_result> attest(const attest_request& r, batch_state& batch);
  result<compact_result> compact(const compact_request& r, batch_state& batch);
  result<tick_write_answer> write_of_tick(const tick_write& w, batch_state& batch);
  /// Makes the touches that wait the first command of the queue, if the next one must find none.
  void settle_touches();
  /// Appends what a read leaves; answers the seq of the last entry then.
  seq_no touch(entry_payload payload, batch_state& batch);
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
  std::deque<commit_command> queue_;
  std::vector<std::function<void(const error*)>> replies_; ///< of the round in progress
  std::shared_ptr<const commit_batch> batch_;
  std::optional<checkpoint_command> barrier_;
  std::optional<seq_no> imaged_; ///< of the checkpoint that is being written
  std::optional<error> stopped_;
  bool in_round_ = false;
};

} // namespace mneme
