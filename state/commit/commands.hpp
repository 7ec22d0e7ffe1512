#pragma once
/// What the committer is asked to do. A command is moved through the queue and answered through its
/// own callback, which is called once: when what it did is published, or it was refused.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "mneme/erasure.hpp"
#include "mneme/tick.hpp"
#include "state/execute/execute_embed.hpp"
#include "state/execute/preparation.hpp"
#include "state/recovery/followed_frame.hpp"
#include "state/retention/trim_end.hpp"

namespace mneme {

struct world;

/// On the engine's stopwatch, in nanoseconds: what has not been executed by then is refused, and
/// what then still gathers what it will change gives up. What comes in a tick has the tick's.
using write_deadline = std::optional<std::int64_t>;

struct mutate_command {
  std::vector<mutation> items;
  bool is_batch = false;
  mneme::durability durability = mneme::durability::durable;
  std::shared_ptr<const mneme::scope> scope{}; ///< as it came
  write_deadline deadline{};
  std::vector<prepared_ahead> ahead{};      ///< of each item, or nothing
  std::optional<std::string> in_sight_of{}; ///< who must see what the items name
  std::function<void(result<batch_result>)> reply;
};
/// A chunk that was made a memory.
struct promote_command {
  promote_request request;
  std::function<void(result<mutation_result>)> reply;
  write_deadline deadline{};
  std::optional<std::string> in_sight_of{}; ///< likewise
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
  write_deadline deadline{};
};
struct compact_command {
  compact_request request;
  std::function<void(result<compact_result>)> reply;
  write_deadline deadline{};
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
  /// Those of the request, which nobody changes. Null: none.
  std::shared_ptr<const std::vector<tick_write>> writes{};
  std::vector<prepared_ahead> ahead{}; ///< of each write, or nothing
  write_deadline deadline{};
  std::optional<std::string> in_sight_of{}; ///< likewise, of all writes
  std::function<void(result<tick_commit>)> reply;

  [[nodiscard]] std::span<const tick_write> all_writes() const {
    return writes == nullptr ? std::span<const tick_write>{} : std::span(*writes);
  }
};
struct snapshot_command {
  std::string reason;
  std::string actor;
  std::function<void(result<snapshot_result>)> reply;
  write_deadline deadline{};
};
/// A decay cycle of the colour space; stands alone in its frame.
struct decay_command {
  std::string actor;
  std::function<void(result<decay_result>)> reply;
  write_deadline deadline{};
};
/// An erasure; stands alone in its frame, and is answered when nothing has what was erased any
/// more.
struct erase_command {
  erase_request request;
  std::function<void(result<erase_result>)> reply;
  write_deadline deadline{};
};
/// A trim that was planned; stands alone in its frame. Answered when nothing is left to do of it.
struct trim_command {
  trim_payload payload; ///< without its nonce
  seq_no planned_at;    ///< what was erased or trimmed behind this the plan does not know
  std::function<void(result<trim_end>)> reply;
  write_deadline deadline{};
};
/// A frame barrier: everything before it is applied and durable, the last root is sealed.
struct checkpoint_command {
  std::function<void(result<seq_no>)> reply; ///< may be empty
  bool last = false; ///< the engine closes: whatever comes behind it is refused
  write_deadline deadline{};
  bool deferred = false; ///< it had its turn while another one was written, and comes again
};
/// Looks at the ledger between two batches, when it and the store agree: roots of earlier seqs,
/// proofs. One at a time: writes that came later may be committed before it is run.
struct inspect_command {
  std::function<void(world&)> run;
  std::function<void(std::unexpected<error>)> reply; ///< only if it cannot be run
  std::uint64_t bytes = 0;                           ///< of what it asks for
};
/// Where the copy of a log ends.
struct copy_end {
  seq_no last;
  digest last_frame;
};
/// A frame that the log has behind those of this copy. What does not follow here changes nothing;
/// what follows and is not what it says stops the engine.
struct follow_command {
  std::optional<followed_frame> next; ///< none: only where the copy ends is asked for
  std::function<void(result<copy_end>)> reply;
};
/// This process has claimed the log, and the copy has all of it.
struct lead_command {
  std::shared_ptr<log_leader> leader;
  std::function<void(result<copy_end>)> reply;
};
/// Another process leads by now: follow again.
struct yield_command {
  std::function<void(result<copy_end>)> reply;
};
/// The log is not what this copy is of: no more is taken.
struct halt_command {
  error why;
  std::function<void(result<copy_end>)> reply;
};
using commit_command =
    std::variant<mutate_command, promote_command, touch_command, late_touch_command, attest_command,
                 compact_command, tick_command, embed_command, snapshot_command, decay_command,
                 erase_command, trim_command, checkpoint_command, inspect_command, follow_command,
                 lead_command, yield_command, halt_command>;
/// What keeps a copy of a log where it is to be, and asks for nothing of its own.
bool is_of_log(const commit_command& c);
/// Takes no other command into its frame.
bool stands_alone(const commit_command& c);
write_deadline deadline_of(const commit_command& c);
/// Answers a command that will not be executed.
void refuse(commit_command& c, const error& e);

/// Counts for the bounds of what waits: all but what was let in before, and what the engine itself
/// has to say, which nobody would send again.
bool is_bounded(const commit_command& c);
/// About how many bytes a command holds in its texts, lists and vectors.
std::uint64_t bytes_of(const commit_command& c);
std::uint64_t bytes_of(const tick_write& w);
std::uint64_t bytes_of(const mutation& m);

} // namespace mneme
