#include "actors/spawn.hpp"

#include "actors/committer_actor.hpp"
#include "actors/coordinator_actor.hpp"
#include "actors/embedder_actor.hpp"
#include "messages/ensure.hpp"
#include "query/text_vectors.hpp"

namespace mneme {

namespace {

template <class... Args>
caf::actor spawn_blocking(caf::actor_system& system, thread_use threads, Args&&... args) {
  return threads == thread_use::scheduled
             ? system.spawn(std::forward<Args>(args)...)
             : system.spawn<caf::detached>(std::forward<Args>(args)...);
}
template <class Actor, class... Args>
caf::actor spawn_blocking_class(caf::actor_system& system, thread_use threads, Args&&... args) {
  return threads == thread_use::scheduled
             ? system.spawn<Actor>(std::forward<Args>(args)...)
             : system.spawn<Actor, caf::detached>(std::forward<Args>(args)...);
}

} // namespace

namespace {

/// The actors of a remote embedder, where the world's is one.
void spawn_remote(caf::actor_system& system, const std::shared_ptr<world>& w,
                  const actor_options& options, engine_actors& a) {
  if (w->embedder == nullptr || w->embedder->remote() == nullptr) return;
  a.remote = w->embedder;
  // A query by text waits for the network, and must not keep a thread of the scheduler.
  a.query_vectors = spawn_blocking(system, options.threads, query_vectors_behavior, w,
                                   a.coordinator, options.queries);
  if (options.commits.read_only) return;
  a.embedder =
      spawn_blocking_class<embedder_actor>(system, options.threads, w, a.committer, options.jitter);
  caf::anon_send(a.committer, join_embedder{a.embedder});
}

} // namespace

engine_actors spawn_actors(caf::actor_system& system, const std::shared_ptr<world>& w,
                           const actor_options& options) {
  ensure(w != nullptr, "actors are of a world");
  ensure(options.readers > 0, "an engine has a reader");
  if (const auto late = w->generation()->late; late != nullptr && options.loads_late_beside)
    late->begin();
  engine_actors a;
  a.store = system.spawn(store_behavior, w);
  a.ledger = system.spawn(ledger_behavior, w);
  a.graph = system.spawn(graph_behavior, w, options.bugs.lose_reverse_edge);
  a.lexical = system.spawn(lexical_behavior, w);
  a.vectors = system.spawn(vectors_behavior, w);
  a.attributes = system.spawn(attributes_behavior, w);
  a.checkpointer = spawn_blocking(system, options.threads, checkpointer_behavior, w);
  if (options.retention.any() && !options.commits.read_only)
    a.retention = spawn_blocking(system, options.threads, retention_behavior, w, options.retention,
                                 options.queries.time);
  for (std::size_t i = 0; i < options.readers; ++i)
    a.readers.push_back(system.spawn(reader_behavior, w));
  // A detached actor takes no lent thread.
  const auto threads =
      options.threads == thread_use::lent_threads ? thread_use::scheduled : options.threads;
  a.committer = spawn_blocking_class<committer_actor>(system, threads, w, a, options);
  a.coordinator = system.spawn<coordinator_actor>(w, a.readers, a.committer, options);
  spawn_remote(system, w, options, a);
  if (options.commits.read_only) return a;
  const engine_actors sent_on_to = a;
  for (std::size_t i = 0; i < options.preparers; ++i)
    a.preparers.push_back(
        system.spawn(preparer_behavior, w, sent_on_to, options.queries.stopwatch));
  return a;
}

std::shared_ptr<log_member> join_log(const actor_options& options, const engine_actors& actors) {
  if (!options.member) return nullptr;
  return std::make_shared<log_member>(*options.member, [committer = actors.committer](
                                                           commit_command command) {
    caf::anon_send(committer, commit_request{std::make_shared<commit_command>(std::move(command))});
  });
}

const caf::actor& first_of_tick(const engine_actors& actors, const tick_request& request) {
  const bool waits = actors.query_vectors && asks_by_text(request);
  return waits ? actors.query_vectors : actors.coordinator;
}

std::vector<caf::actor> owned_actors(const engine_actors& a) {
  std::vector<caf::actor> all = {a.coordinator, a.committer, a.checkpointer,
                                 a.attributes,  a.vectors,   a.lexical,
                                 a.graph,       a.ledger,    a.store};
  all.insert(all.end(), a.readers.begin(), a.readers.end());
  all.insert(all.end(), a.preparers.begin(), a.preparers.end());
  if (a.retention) all.push_back(a.retention);
  if (a.query_vectors) all.push_back(a.query_vectors);
  if (a.embedder) all.push_back(a.embedder);
  return all;
}

void stop_all_but_checkpointer(const engine_actors& actors) {
  if (actors.remote != nullptr) actors.remote->remote()->stop();
  for (const auto& actor : owned_actors(actors))
    if (actor != actors.checkpointer) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

void stop_actors(const engine_actors& actors) {
  stop_all_but_checkpointer(actors);
  caf::anon_send_exit(actors.checkpointer, caf::exit_reason::user_shutdown);
}

} // namespace mneme
