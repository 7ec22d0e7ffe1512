#include "actors/spawn.hpp"

namespace mneme {

// Owns the Merkle log and the state trees. Roots and proofs are read by
// the committer between batches, when the ledger rests.
caf::behavior ledger_behavior(caf::event_based_actor*, const std::shared_ptr<world>& w) {
  return {
      [=](const apply_batch& m) {
        auto roots = w->ledger->apply(m.batch->entries);
        return roots ? outcome{} : outcome{roots.error()};
      },
      [=](const save_ledger&) { return ledger_image{w->ledger->save()}; },
  };
}

} // namespace mneme
