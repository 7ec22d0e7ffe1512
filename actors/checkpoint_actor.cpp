#include "actors/spawn.hpp"

namespace mneme {

// Writes checkpoints beside the running engine. Blocks on the disk, hence detached.
caf::behavior checkpointer_behavior(caf::event_based_actor*, const std::shared_ptr<world>& w) {
  return {
      [=](const run_checkpoint& m) {
        auto written = write_checkpoint(*w->files, w->directory, w->info.id, w->views(), *m.job);
        return written ? outcome{} : outcome{written.error()};
      },
  };
}

} // namespace mneme
