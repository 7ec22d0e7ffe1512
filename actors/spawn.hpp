#pragma once
/// How actors come to life: those that block (committer, checkpointer, embedder) get threads of
/// their own in production, and are ordinary scheduled actors under the deterministic test
/// scheduler.

#include <caf/actor_system.hpp>
#include <caf/all.hpp>

#include "actors/log_member.hpp"
#include "actors/messages.hpp"

namespace mneme {

enum class thread_use : std::uint8_t {
  own_threads,  ///< blocking actors are detached
  lent_threads, ///< likewise, but the committer: whoever waits for it lends it a thread
  scheduled,    ///< everything on the scheduler (deterministic simulation)
};

/// Known bugs that a simulator run plants to prove that its oracles see them. Never set otherwise.
struct planted_bugs {
  bool reply_before_publish = false;
  bool lose_reverse_edge = false;
  bool skip_fsync = false;
};

struct engine_actors {
  caf::actor store;
  caf::actor ledger;
  caf::actor graph;
  caf::actor lexical;
  caf::actor vectors;
  caf::actor attributes;
  caf::actor checkpointer;
  caf::actor retention; ///< only where not all of its history is kept
  caf::actor committer;
  caf::actor coordinator;
  caf::actor query_vectors;                      ///< only where the embedder is remote
  caf::actor embedder;                           ///< only where the world's is remote
  std::shared_ptr<const mneme::embedder> remote; ///< of that actor; stopped before the actors are
  std::vector<caf::actor> readers;
  std::vector<caf::actor> preparers; ///< only where a host's actors write
};

struct actor_options {
  thread_use threads = thread_use::own_threads;
  std::size_t readers = 2;
  std::size_t preparers = 0; ///< of what a host's actors write; none where no host is an actor
  committer_options commits;
  /// The owners take a batch of up to so many entries in the committer's turn; a larger one is sent
  /// to them, so that they take it side by side.
  std::size_t entries_applied_here = 8;
  std::uint64_t checkpoint_journal_bytes = 0; ///< as engine_options has it
  kept_history retention{};
  /// Indexes are made anew in the committer's turn, while writes wait, instead of beside them:
  /// which states are still there then depends on the writes alone.
  bool compacts_in_turn = false;
  /// What the opening left for later is loaded by a thread of its own, not by who needs it first.
  bool loads_late_beside = false;
  query_seams queries; ///< its clock is the committer's too
  std::shared_ptr<random_source> random;
  std::shared_ptr<random_source> jitter; ///< of a remote embedder's delays; not the committer's
  planted_bugs bugs;
  std::optional<log_membership> member; ///< of a log that the world follows
};

/// Spawns the actors around `w`; each keeps it alive.
engine_actors spawn_actors(caf::actor_system& system, const std::shared_ptr<world>& w,
                           const actor_options& options);
/// Who follows the log from now on; null where nobody does. It goes before the actors do.
std::shared_ptr<log_member> join_log(const actor_options& options, const engine_actors& actors);
/// Who takes a tick on its way first: its texts may wait for a network.
const caf::actor& first_of_tick(const engine_actors& actors, const tick_request& request);
std::vector<caf::actor> owned_actors(const engine_actors& actors);
/// Asks all of them to end.
void stop_actors(const engine_actors& actors);
/// The checkpointer has the end of the world to write.
void stop_all_but_checkpointer(const engine_actors& actors);

caf::behavior store_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w);
caf::behavior ledger_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w);
caf::behavior graph_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w,
                             bool lose_reverse_edge);
caf::behavior lexical_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w);
caf::behavior vectors_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w);
caf::behavior attributes_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w);
caf::behavior checkpointer_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w);
caf::behavior retention_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w,
                                 const kept_history& kept, const std::shared_ptr<clock>& time);
caf::behavior reader_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w);
caf::behavior query_vectors_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w,
                                     const caf::actor& coordinator, const query_seams& seams);
caf::behavior preparer_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w,
                                const engine_actors& to,
                                const std::function<std::int64_t()>& stopwatch);

} // namespace mneme
