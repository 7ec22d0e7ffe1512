#include "actors/spawn.hpp"

namespace mneme {

// Owns the adjacency.
caf::behavior graph_behavior(caf::event_based_actor*, const std::shared_ptr<world>& w,
                             bool lose_reverse_edge) {
  if (lose_reverse_edge) w->graph.testing_lose_reverse_edges();
  return {
      [=](const apply_batch& m) {
        apply_to(w->graph, m.batch->deltas);
        apply_order(w->order, m.batch->deltas);
        apply_lineage(w->lineage, w->graph, w->attributes(), m.batch->deltas);
        return outcome{};
      },
  };
}

} // namespace mneme
