#pragma once
/// The typed public handle: takes a host's messages and delegates to the other actors.

#include "actors/open_engine.hpp"
#include "mneme/caf.hpp"

namespace mneme {

/// What every call after close() gets.
inline const error was_closed{errc::shutdown, "the engine was closed", {}};

/// One engine inside an actor system: the world and its actors. Shared by whoever talks to it.
struct running_engine {
  std::shared_ptr<world> state;
  actor_options options;
  engine_actors actors;
  /// How the barrier went that close() sends behind everything queued.
  result<seq_no> last_barrier = fail(errc::shutdown, "the engine ended while it was being closed");
  // Of the engine actor:
  std::size_t alive = 0; ///< owned actors that have not ended
  bool closed = false;
  std::function<void()> when_ended; ///< when the last actor is gone
  bool ended = false;               ///< it is, and `state` may be; quits when all are answered
  std::size_t unanswered = 0;       ///< promises to hosts
};

/// Opens the world and spawns its actors (not the engine actor).
result<std::shared_ptr<running_engine>> start_engine(caf::actor_system& system,
                                                     const engine_options& options);
std::shared_ptr<running_engine> start_engine(caf::actor_system& system, opened_engine opened);

/// The public handle plus what only the engine's own actors send it.
using internal_engine_actor = engine_actor::extend<caf::reacts_to<run_closure>>;

internal_engine_actor::behavior_type engine_behavior(internal_engine_actor::pointer self,
                                                     std::shared_ptr<running_engine> engine);

/// Once its actors have ended: seals the world if nothing failed, and lets go of it.
result<void> end_world(running_engine& engine);

/// Sends the command to the engine's committer.
void hand_over(const running_engine& engine, commit_command command);
/// Sends the tick to the engine's coordinator.
void hand_over_tick(const running_engine& engine, std::shared_ptr<const tick_request> request,
                    std::function<void(result<tick_result>)> reply);

// Commands for the committer, as both the engine actor and the blocking facade send them.
commit_command mutate(std::vector<mutation> items, bool is_batch, durability d,
                      std::function<void(result<batch_result>)> reply,
                      std::shared_ptr<const scope> within = {});
commit_command inspect_roots(seq_no at, std::function<void(result<root_set>)> reply);
commit_command inspect_proofs(prove_request request,
                              std::function<void(result<proof_bundle>)> reply);

} // namespace mneme
