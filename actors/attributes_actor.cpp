#include "actors/spawn.hpp"

namespace mneme {

// Owns rows, columns, postings and activation.
caf::behavior attributes_behavior(caf::event_based_actor*, const std::shared_ptr<world>& w) {
  return {
      [=](const apply_batch& m) {
        apply_to(w->attributes(), m.batch->deltas);
        return outcome{};
      },
  };
}

} // namespace mneme
