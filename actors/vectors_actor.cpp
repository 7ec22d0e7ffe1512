#include "actors/spawn.hpp"

namespace mneme {

// Owns the vector space.
caf::behavior vectors_behavior(caf::event_based_actor*, const std::shared_ptr<world>& w) {
  return {
      [=](const apply_batch& m) {
        apply_to(w->vectors(), m.batch->deltas);
        return outcome{};
      },
  };
}

} // namespace mneme
