#include "actors/spawn.hpp"

namespace mneme {

// Owns the Merkle log and the state trees. Roots and proofs are read by
// the committer between batches, when the ledger rests.
caf::behavior ledger_behavior(caf::event_based_actor*, const std::shared_ptr<world>& w) {
  return {
      [=](const apply_batch& m) {
        const auto applied = apply_to_ledger(*w, m.batch->entries);
        return applied ? outcome{} : outcome{applied.error()};
      },
      [=](const freeze_ledger&) {
        return frozen_ledger_reply{std::make_shared<ledger_snapshot>(snapshot_of_ledger(*w))};
      },
  };
}

} // namespace mneme
