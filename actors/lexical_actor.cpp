#include "actors/spawn.hpp"

namespace mneme {

// Owns the terms of all contents.
caf::behavior lexical_behavior(caf::event_based_actor*, const std::shared_ptr<world>& w) {
  return {
      [=](const apply_batch& m) {
        apply_to(w->lexical(), m.batch->deltas);
        return outcome{};
      },
  };
}

} // namespace mneme
