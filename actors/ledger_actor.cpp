#include "actors/spawn.hpp"

namespace mneme {

// Owns the Merkle log and the state trees. Roots and proofs are read by
// the committer between batches, when the ledger rests.
caf::behavior ledger_behavior(caf::event_based_actor*, const std::shared_ptr<world>& w) {
  return {
      [=](const prepare_batch& m) {
        auto read = w->ledger->prepare(m.batch->entries);
        return read ? outcome{} : outcome{read.error()};
      },
      [=](const apply_batch& m) {
        w->ledger->finish(m.batch->entries);
        return outcome{};
      },
      [=](const save_ledger&) { return ledger_image{w->ledger->save()}; },
  };
}

} // namespace mneme
