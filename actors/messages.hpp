#pragma once
/// Messages between the engine's own actors. In-process only: payloads are shared_ptrs to immutable
/// data, nothing is serialised. docs/ARCHITECTURE.md has who may send what to whom.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>

#include "query/query_job.hpp"
#include "query/tick_reads.hpp"
#include "state/commit/committer.hpp"
#include "state/compaction/index_compaction.hpp"

namespace mneme {

/// What an owner answers: done, or why not.
struct outcome {
  std::optional<error> problem;
};

/// To every owner: take this batch.
struct apply_batch {
  std::shared_ptr<const commit_batch> batch;
};
/// To the ledger.
struct freeze_ledger {};
struct frozen_ledger_reply {
  std::shared_ptr<ledger_snapshot> snapshot; ///< taken by the receiver
};
/// To the checkpointer.
struct run_checkpoint {
  std::shared_ptr<const checkpoint_job> job;
};
/// To the checkpointer: give the store's files what is durable of the rows in memory.
struct run_flush {};
/// To the checkpointer: build the copies, if that is not done yet, and give them these batches.
struct run_compaction {
  std::shared_ptr<index_compaction> copies; ///< the receiver's until it answers
  std::shared_ptr<const std::vector<std::shared_ptr<const commit_batch>>> batches;
};
/// To the checkpointer: what the copies have replaced. Freeing it takes its time.
struct free_indexes {
  std::shared_ptr<index_compaction> replaced;
};
/// To the checkpointer: a part of what is left to do of a trim.
struct run_trim {
  std::shared_ptr<running_trim> trim; ///< the receiver's until it answers
  std::shared_ptr<const std::vector<std::shared_ptr<const commit_batch>>> batches;
};
/// To the checkpointer: files that nobody needs any more.
struct free_files {
  std::shared_ptr<void> replaced;
};
/// To the retention actor: whether something of the history may go.
struct look_at_history {};
struct history_look {
  std::shared_ptr<trim_command> trim; ///< to be committed; null: nothing goes
};
/// Of the retention actor to itself.
struct history_trimmed {
  std::uint64_t journal_bytes = 0;
};
/// To the committer.
struct commit_request {
  std::shared_ptr<commit_command> command; ///< taken by the receiver
};
/// Of the committer to itself: the next round, of what has arrived until then.
struct begin_round {};
/// Of the committer to itself: the sync of the frame that it has just appended. A message of its
/// own, so that a crash can fall between the two.
struct sync_appended {};
/// To the committer: who wants to know of contents without a vector.
struct join_embedder {
  caf::actor embedder;
};
/// To the embedder: these were published without a vector; null: look for all that were.
struct contents_to_embed {
  std::shared_ptr<const std::vector<memory_id>> ids;
};
/// Of the embedder to itself: the next batch, now or after a delay.
struct embed_next {};
/// To a reader: run the next effect of the query and give it back.
struct run_effect {
  std::shared_ptr<query_job> job;                 ///< held by the receiver until it answers
  std::shared_ptr<const query_context> context{}; ///< not null: compile it at that first
};
/// To the coordinator, and from it to a reader: run a read whole. It holds the way back.
struct run_read {
  std::function<void()> run;
};
/// To the checkpointer, when every other owner has ended: seal the world, if nothing failed, and
/// let go of it.
struct seal_world {
  bool seals = true;
};
/// To the coordinator: a question of any door, for somebody who is not an actor, or the engine
/// actor itself. The job holds the way back.
struct ask_query {
  std::shared_ptr<query_job> job; ///< taken by the receiver
  std::optional<seq_no> pinned{}; ///< the seq to read at when the request names none
};

/// A tick on its way through the coordinator.
struct tick_job {
  std::shared_ptr<const tick_request> request;
  std::vector<prepared_ahead> ahead; ///< of each write, or nothing
  std::function<void(result<tick_result>)> reply;
  texts_of_reads texts{};
  /// When its turn began, texts first: the deadlines of its reads count from there.
  std::optional<std::int64_t> taken_ns{};
};

/// To the coordinator: a whole tick.
struct ask_tick {
  std::shared_ptr<tick_job> job; ///< taken by the receiver
  write_deadline deadline{};     ///< of what it commits
};
/// To a reader: run these reads of a tick and give them back.
struct run_share {
  std::shared_ptr<tick_share> share; ///< held by the receiver until it answers
};

/// To the engine actor from another one: finish a request in the engine actor's own context.
struct run_closure {
  std::function<void()> run;
};

} // namespace mneme

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::outcome)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::apply_batch)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::freeze_ledger)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::frozen_ledger_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::run_checkpoint)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::run_flush)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::run_compaction)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::free_indexes)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::run_trim)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::free_files)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::look_at_history)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::history_look)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::history_trimmed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::commit_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::begin_round)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::sync_appended)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::join_embedder)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::contents_to_embed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::embed_next)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::run_effect)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::run_read)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::seal_world)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::ask_query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::ask_tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::run_share)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(mneme::run_closure)
