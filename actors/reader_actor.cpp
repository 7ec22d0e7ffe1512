#include "actors/spawn.hpp"
#include "messages/ensure.hpp"

namespace mneme {

// One of a pool: runs effects of queries and single reads over the owners' read sides, so that a
// slow one never stands in the way of a write.
caf::behavior reader_behavior(caf::event_based_actor*, const std::shared_ptr<world>& w) {
  return {
      [=](const run_effect& m) {
        ensure(m.job->run().next().has_value(), "a reader runs a stage that is left");
        auto ran = m.job->run().run(w->views());
        return ran ? outcome{} : outcome{ran.error()};
      },
      [](const run_read& m) { m.run(); },
      [=](const run_share& m) {
        m.share->run(w->views());
        return outcome{};
      },
  };
}

} // namespace mneme
