#include "actors/spawn.hpp"

namespace mneme {

// Owns the journal: appends frames, makes them durable. Blocks in fdatasync, hence detached.
caf::behavior journal_behavior(caf::event_based_actor*, const std::shared_ptr<world>& w,
                               bool skip_fsync) {
  const auto answer = [](const result<void>& r) { return r ? outcome{} : outcome{r.error()}; };
  return {
      [=](const append_frame& m) {
        return answer(w->journal->append(m.batch->entries, m.previous_root));
      },
      [=](const sync_journal&) { return skip_fsync ? outcome{} : answer(w->journal->sync()); },
      [=](const append_seal& m) {
        auto sealed = w->journal->append_seal(m.root);
        if (!sealed) return outcome{sealed.error()};
        return answer(w->journal->sync());
      },
  };
}

} // namespace mneme
