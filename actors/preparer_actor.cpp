#include "actors/spawn.hpp"

namespace mneme {

namespace {

/// What is late already is refused in its turn: nothing is made of it.
bool is_late(const write_deadline& until, const std::function<std::int64_t()>& stopwatch) {
  return until && stopwatch && stopwatch() >= *until;
}

void prepare(commit_command& command, const world& w,
             const std::function<std::int64_t()>& stopwatch) {
  auto* writes = std::get_if<mutate_command>(&command);
  if (writes == nullptr || is_late(writes->deadline, stopwatch)) return;
  writes->ahead =
      prepare_ahead(writes->items, writes->scope != nullptr, w.embedder.get(), *w.tokens);
}

} // namespace

// One of several between a host's actors and the committer: does of a write what depends on the
// request alone, and sends it on. All of one sender goes through one of them, and so in its order.
caf::behavior preparer_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w,
                                const engine_actors& to,
                                const std::function<std::int64_t()>& stopwatch) {
  return {
      [=](const commit_request& m) {
        prepare(*m.command, *w, stopwatch);
        self->send(to.committer, m);
      },
      [=](const ask_tick& m) {
        if (!is_late(m.deadline, stopwatch))
          m.job->ahead = prepare_ahead(m.job->request->writes, w->embedder.get(), *w->tokens);
        self->send(first_of_tick(to, *m.job->request), m);
      },
      [](const run_read& m) { m.run(); },
  };
}

} // namespace mneme
