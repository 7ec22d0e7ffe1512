#pragma once
/// The committer as an actor: moves each batch through the owners and publishes it.
///
///   journal: append, then sync  ─┐
///   ledger, then store          ─┼─ all have it → publish → reply
///   graph, lexical, vectors,
///   attributes                  ─┘
///
/// It writes the journal itself, and what the others do with a small batch is done here, too:
/// waking somebody would take longer. So it waits for the disk, and has no thread of a scheduler
/// for that but one that belongs to the engine.

#include <caf/all.hpp>

#include "actors/spawn.hpp"

namespace mneme {

struct erased_parts;

class committer_actor : public caf::event_based_actor {
public:
  committer_actor(caf::actor_config& config, std::shared_ptr<world> w, engine_actors owners,
                  const actor_options& options);
  caf::behavior make_behavior() override;
  /// Answers whatever is queued or under way: the engine has ended under it.
  void on_exit() override;

private:
  /// The next round, with what has arrived until it begins.
  void go_on();
  void pump();
  /// A round begins, for which so many answers are waited for.
  void expect(int answers);
  /// `copied`: the frame that it is of, which is the log's already; else null.
  void begin_batch(std::shared_ptr<const commit_batch> batch, const log_frame* copied);
  /// A seal of the log, of which nobody but the journal hears.
  void begin_copied_seal(const log_frame& seal);
  void begin_sync();
  void not_appended(const error& cause);
  /// Whether it is the log that refuses, and this process follows it from now on. `is_of_round`:
  /// what was refused is the round's.
  bool follows_again(const error& cause, bool is_of_round);
  /// Of all that was appended.
  result<void> sync();
  outcome apply_here();
  void ask_owners();
  void ask_owner(const caf::actor& owner);
  void arrived(const outcome& o);
  void finish_batch();
  result<void> finish_batch_of_erasure(const erased_parts& erased);
  void begin_barrier();
  void barrier_without_room(seq_no seq);
  void checkpoint_again();
  void begin_checkpoint(seq_no seq);
  void write_checkpoint_at_barrier(ledger_snapshot& ledger);
  void checkpoint_written();
  void settle();
  void enqueue_deferred();
  [[nodiscard]] bool has_far_too_many_rows() const;
  void flush_if_due();
  void flushed(std::optional<error> problem);
  void refuse_deferred();
  void compact_if_due();
  void hand_over_copies();
  void copies_are_back();
  void settle_compaction();
  /// Between two rounds.
  void settle_trim();
  void hand_over_trim(bool with_batches);
  void trim_is_back(const outcome& o);
  void adopt_trim();
  void leave_trim(const error& why);
  void end_trim(const result<void>& how);
  [[nodiscard]] bool is_trimming() const { return core_->trim_in_progress() != nullptr; }
  /// What is made beside the writer of what there was at one seq: one such thing at a time.
  [[nodiscard]] bool makes_copies() const { return copies_ || is_trimming(); }
  void announce_contents();
  /// Who follows embeds nothing; what is there when he leads has to be looked for.
  void tell_embedder_of_lead();
  void failed(const error& cause, errc outcome_code);
  bool stop_with_derived();
  void durable_through(seq_no seq);
  void advance_stable_to(seq_no seq);
  void checkpoint_if_due();
  void look_at_history_if_due();
  using on_outcome = std::function<void(const outcome&)>;
  using on_error = std::function<void(const caf::error&)>;
  template <class Message>
  void ask(const caf::actor& to, Message message, on_outcome then);
  template <class Message>
  void ask(const caf::actor& to, Message message, on_outcome then, on_error lost);
  on_error owner_lost();

  std::shared_ptr<world> world_;
  engine_actors owners_;
  actor_options options_;
  std::optional<committer> core_;             ///< until the actor ends
  std::shared_ptr<const commit_batch> batch_; ///< in progress
  std::optional<error> problem_;              ///< of the batch in progress
  int waiting_for_ = 0;                       ///< answers in the round in progress
  bool goes_on_ = false;                      ///< begin_round is on its way
  bool checkpointing_ = false;                ///< the store's stable seq stands still meanwhile
  bool flushing_ = false;                     ///< the checkpointer gives rows to the store's files
  bool rows_lack_room_ = false;               ///< the files could not be given any
  bool goes_on_without_room_ = false;         ///< the next round does not look for room again
  std::optional<error> flush_problem_;        ///< the files took no rows
  std::optional<error> late_problem_;         ///< words or vectors that were to come late do not
  std::vector<checkpoint_command> deferred_;  ///< barriers that came meanwhile
  std::shared_ptr<index_compaction> copies_;  ///< of indexes, while they are made; null = none
  bool copies_are_away_ = false;              ///< the checkpointer has them
  bool trim_is_away_ = false;                 ///< likewise
  std::optional<error> trim_problem_;         ///< why it does not go on
  std::vector<std::shared_ptr<const commit_batch>> missed_; ///< by the copies, in order
  caf::actor embedder_;                                     ///< may be null
  bool embeds_ = true; ///< what was published when the embedder began to look
  seq_no durable_;
  bool syncs_batch_ = true;        ///< of the batch in progress
  std::uint64_t synced_bytes_ = 0; ///< of the journal
  std::uint64_t checkpointed_bytes_ = 0;
  bool wrote_missing_ = false;        ///< images that were not there when the world was opened
  std::uint64_t looked_at_bytes_ = 0; ///< when its history was looked at last
};

} // namespace mneme
