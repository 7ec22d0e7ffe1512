#include "actors/spawn.hpp"

namespace mneme {

// Owns the store's write side. Readers have sessions of their own.
caf::behavior store_behavior(caf::event_based_actor*, const std::shared_ptr<world>& w) {
  return {
      [=](const apply_batch& m) {
        auto applied = w->store->apply(m.batch->writes, m.batch->last_seq);
        return applied ? outcome{} : outcome{applied.error()};
      },
  };
}

} // namespace mneme
