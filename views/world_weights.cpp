#include "views/world_weights.hpp"

namespace mneme {

result<search_weights> search_weights_at(const read_views& views, seq_no at) {
  const auto set = views.attributes->search_at(at);
  if (set == nullptr || set->weights.empty()) return views.search;
  return change_search_weights(views.search, set->weights);
}

result<world_weights> weights_of_world(const read_views& views, seq_no at) {
  auto weights = search_weights_at(views, at);
  if (!weights) return propagate(weights);
  world_weights w;
  w.weights = *weights;
  w.at_seq = at;
  if (const auto set = views.attributes->search_at(at)) {
    w.since = set->since;
    w.set_at = set->at;
    w.set_by = set->by;
    w.is_reset = set->weights.empty();
  }
  return w;
}

} // namespace mneme
