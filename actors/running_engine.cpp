#include "actors/running_engine.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "messages/ensure.hpp"
#include "query/deadline.hpp"
#include "query/request_numbers.hpp"
#include "state/checkpoint/world_checkpoint.hpp"

namespace mneme {

void hand_over(const running_engine& engine, commit_command command) {
  caf::anon_send(engine.actors.committer,
                 commit_request{std::make_shared<commit_command>(std::move(command))});
}

namespace {

/// Null where there are none: nothing is prepared then before its turn.
const caf::actor* preparer_of(const running_engine& engine, caf::actor_id sender) {
  const auto& all = engine.actors.preparers;
  return all.empty() ? nullptr : &all[sender % all.size()];
}

} // namespace

void hand_over_from(const running_engine& engine, caf::actor_id sender, commit_command command) {
  const caf::actor* preparer = preparer_of(engine, sender);
  if (preparer == nullptr) return hand_over(engine, std::move(command));
  caf::anon_send(*preparer, commit_request{std::make_shared<commit_command>(std::move(command))});
}

void hand_over_last(const running_engine& engine, commit_command command) {
  if (engine.actors.preparers.empty()) return hand_over(engine, std::move(command));
  // It goes when the last of them lets go of it.
  const std::shared_ptr<commit_command> last(
      new commit_command(std::move(command)),
      [committer = engine.actors.committer](commit_command* c) {
        caf::anon_send(committer, commit_request{std::shared_ptr<commit_command>(c)});
      });
  for (const auto& preparer : engine.actors.preparers)
    caf::anon_send(preparer, run_read{[last] {}});
}

void hand_over_query(const running_engine& engine, std::shared_ptr<query_job> job,
                     std::optional<seq_no> pinned) {
  const engine_actors& actors = engine.actors;
  const bool waits = actors.query_vectors && job->text();
  caf::anon_send(waits ? actors.query_vectors : actors.coordinator,
                 ask_query{std::move(job), pinned});
}

void hand_over_read(const running_engine& engine, std::function<void()> read) {
  const caf::actor& coordinator = engine.actors.coordinator;
  if (!coordinator) return; // the engine has ended; letting go of `read` says so
  caf::anon_send(coordinator, run_read{std::move(read)});
}

void hand_over_tick(const running_engine& engine, std::shared_ptr<const tick_request> request,
                    write_deadline deadline, std::vector<prepared_ahead> ahead,
                    std::function<void(result<tick_result>)> reply,
                    std::optional<caf::actor_id> sender) {
  const caf::actor* preparer = sender ? preparer_of(engine, *sender) : nullptr;
  const caf::actor& first = preparer ? *preparer : first_of_tick(engine.actors, *request);
  auto job =
      std::make_shared<tick_job>(tick_job{std::move(request), std::move(ahead), std::move(reply)});
  caf::anon_send(first, ask_tick{std::move(job), deadline});
}

result<write_deadline> deadline_in(const running_engine& engine,
                                   std::optional<std::int64_t> deadline_ms) {
  if (!deadline_ms) return write_deadline{};
  if (auto ok = check_positive(deadline_ms, "deadline_ms"); !ok) return propagate(ok);
  const auto& time = engine.options.queries.stopwatch;
  if (!time) return write_deadline{}; // where no time is measured nothing is late
  // A deadline in the far future is none.
  const std::int64_t now = time();
  const std::int64_t longest = (std::numeric_limits<std::int64_t>::max() - now) / ns_per_ms;
  return write_deadline{now + std::min(*deadline_ms, longest) * ns_per_ms};
}

commit_command mutate(std::vector<mutation> items, bool is_batch, durability d,
                      std::shared_ptr<const scope> within, write_deadline deadline,
                      std::optional<std::string> in_sight_of, std::vector<prepared_ahead> ahead,
                      std::function<void(result<batch_result>)> reply) {
  return mutate_command{.items = std::move(items),
                        .is_batch = is_batch,
                        .durability = d,
                        .scope = std::move(within),
                        .deadline = deadline,
                        .ahead = std::move(ahead),
                        .in_sight_of = std::move(in_sight_of),
                        .reply = std::move(reply)};
}

commit_command inspect_roots(seq_no at, std::function<void(result<recorded_roots>)> reply) {
  return inspect_command{.run = [at, reply](world& w) { reply(roots_at(w, at)); }, .reply = reply};
}

commit_command inspect_proofs(prove_request request, std::function<std::int64_t()> stopwatch,
                              std::function<void(result<proof_bundle>)> reply) {
  const deadline time(std::move(stopwatch), request.deadline_ms);
  const std::uint64_t bytes = held_bytes(request);
  return inspect_command{
      .run = [request = std::move(request), time,
              reply](world& w) { reply(prove(w, request, [&] { return time.check(); })); },
      .reply = reply,
      .bytes = bytes};
}

result<void> end_world(running_engine& engine) {
  ensure(engine.state != nullptr, "a world ends once");
  result<void> sealed;
  if (!engine.options.commits.read_only)
    sealed = engine.last_barrier ? close_world(*engine.state) : propagate(engine.last_barrier);
  engine.state.reset();
  return sealed;
}

std::shared_ptr<running_engine> start_engine(caf::actor_system& system, opened_engine opened) {
  auto engine = std::make_shared<running_engine>();
  engine->state = std::move(opened.state);
  engine->options = std::move(opened.actors);
  engine->actors = spawn_actors(system, engine->state, engine->options);
  engine->member = join_log(engine->options, engine->actors);
  engine->state->lease.reset(); // it is the member's from now on
  return engine;
}

result<std::shared_ptr<running_engine>> start_engine(caf::actor_system& system,
                                                     const engine_options& options) {
  auto opened = open_engine(options);
  if (!opened) return propagate(opened);
  opened->actors.preparers = opened->actors.readers;
  return start_engine(system, std::move(*opened));
}

} // namespace mneme
