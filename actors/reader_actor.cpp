#include "actors/spawn.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Compiling reads too, and asks a host's embedder: it is the first effect's reader that does it.
result<void> run_effect_of(query_job& job, const query_context* context, world& w) {
  if (context != nullptr) {
    if (auto ok = job.compile(*context, w.views()); !ok) return ok;
    if (!job.run().next()) return {};
  }
  ensure(job.run().next().has_value(), "a reader runs a stage that is left");
  return job.run().run(job.views);
}

} // namespace

// One of a pool: runs effects of queries and single reads over the owners' read sides, so that a
// slow one never stands in the way of a write.
caf::behavior reader_behavior(caf::event_based_actor*, const std::shared_ptr<world>& w) {
  return {
      [=](const run_effect& m) {
        auto ran = run_effect_of(*m.job, m.context.get(), *w);
        return ran ? outcome{} : outcome{ran.error()};
      },
      [](const run_read& m) {
        m.run();
        return outcome{};
      },
      [=](const run_share& m) {
        m.share->run(w->views());
        return outcome{};
      },
  };
}

} // namespace mneme
