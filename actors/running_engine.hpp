#pragma once
/// One engine inside an actor system, and how its commands, queries and ticks reach its actors:
/// what the blocking facade and the engine actor have in common.

#include "actors/open_engine.hpp"
#include "state/inspection/proofs.hpp"

namespace mneme {

/// What every call after close() gets.
inline const error was_closed{errc::shutdown, "the engine was closed", {}};

/// Shared by whoever talks to it.
struct running_engine {
  std::shared_ptr<world> state;
  actor_options options;
  engine_actors actors;
  std::shared_ptr<log_member> member; ///< null: the world follows no log
  /// How the barrier went that close() sends behind everything queued.
  result<seq_no> last_barrier = fail(errc::shutdown, "the engine ended while it was being closed");
};

/// Opens the world and spawns its actors (not the engine actor).
result<std::shared_ptr<running_engine>> start_engine(caf::actor_system& system,
                                                     const engine_options& options);
std::shared_ptr<running_engine> start_engine(caf::actor_system& system, opened_engine opened);

/// Once its actors have ended: seals the world if nothing failed, and lets go of it.
result<void> end_world(running_engine& engine);

void hand_over(const running_engine& engine, commit_command command);
/// By way of the preparer of who sent it, so that what one actor sends stays in its order.
void hand_over_from(const running_engine& engine, caf::actor_id sender, commit_command command);
/// Behind all that was handed over before, from whomever.
void hand_over_last(const running_engine& engine, commit_command command);
/// Sends the question to the engine's coordinator; `pinned` is the seq to read at when it names
/// none.
void hand_over_query(const running_engine& engine, std::shared_ptr<query_job> job,
                     std::optional<seq_no> pinned);
/// Has a reader of the engine run it.
void hand_over_read(const running_engine& engine, std::function<void()> read);
/// Sends the tick to the engine's coordinator, that of an actor by way of its preparer. `deadline`:
/// of what it commits; `ahead`: of each write, or nothing.
void hand_over_tick(const running_engine& engine, std::shared_ptr<const tick_request> request,
                    write_deadline deadline, std::vector<prepared_ahead> ahead,
                    std::function<void(result<tick_result>)> reply,
                    std::optional<caf::actor_id> sender = {});
/// When a write that is asked for now would be late; out_of_range for less than 1 ms.
result<write_deadline> deadline_in(const running_engine& engine,
                                   std::optional<std::int64_t> deadline_ms);

// Commands for the committer, as both the engine actor and the blocking facade send them. The
// facade prepares ahead in its caller's thread; the engine actor, which all its host's requests go
// through, leaves it to the preparers.
commit_command mutate(std::vector<mutation> items, bool is_batch, durability d,
                      std::shared_ptr<const scope> within, write_deadline deadline,
                      std::optional<std::string> in_sight_of, std::vector<prepared_ahead> ahead,
                      std::function<void(result<batch_result>)> reply);
commit_command inspect_roots(seq_no at, std::function<void(result<recorded_roots>)> reply);
/// Its deadline counts from here, on `stopwatch`.
commit_command inspect_proofs(prove_request request, std::function<std::int64_t()> stopwatch,
                              std::function<void(result<proof_bundle>)> reply);

} // namespace mneme
