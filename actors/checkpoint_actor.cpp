#include "actors/spawn.hpp"
#include "state/checkpoint/world_checkpoint.hpp"

namespace mneme {

namespace {

outcome outcome_of(const result<void>& done) {
  return done ? outcome{} : outcome{done.error()};
}

} // namespace

// Writes checkpoints beside the running engine, and the last one when its other owners have ended;
// makes the indexes anew. Blocks on the disk and takes its time, hence detached.
caf::behavior checkpointer_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w) {
  return {
      [=](const run_checkpoint& m) {
        auto written = write_checkpoint(*w, *m.job);
        return written ? outcome{} : outcome{written.error()};
      },
      [=](const run_flush&) {
        const auto flushed = flush_rows(*w);
        return flushed ? outcome{} : outcome{flushed.error()};
      },
      [](const run_compaction& m) {
        if (!m.copies->is_built()) m.copies->build();
        m.copies->catch_up(*m.batches);
        return outcome{};
      },
      [](free_indexes& m) { m.replaced = nullptr; },
      [](const run_trim& m) { return outcome_of(m.trim->go_on(*m.batches)); },
      [](free_files& m) { m.replaced = nullptr; },
      [=](const seal_world& m) {
        const auto sealed = m.seals ? close_world(*w) : result<void>();
        self->quit(); // with the last hold of the world
        return sealed ? outcome{} : outcome{sealed.error()};
      },
  };
}

} // namespace mneme
