#include "index/vectors/nearest_collector.hpp"

#include <algorithm>

namespace mneme {

bool nearest_collector::is_nearer(const kept_hit& a, const kept_hit& b) {
  if (a.hit.distance != b.hit.distance) return a.hit.distance < b.hit.distance;
  if (a.id != b.id) return a.id < b.id;
  return a.hit.slot < b.hit.slot;
}

void nearest_collector::offer(slot_no slot, double distance) {
  if (!may_enter(distance)) return;
  const kept_hit offered{.hit = {.slot = slot, .distance = distance},
                         .id = tie_ ? tie_(slot) : memory_id{}};
  if (kept_.size() == k_) {
    if (!is_nearer(offered, kept_.front())) return;
    std::ranges::pop_heap(kept_, is_nearer);
    kept_.pop_back();
  }
  kept_.push_back(offered);
  std::ranges::push_heap(kept_, is_nearer);
}

std::vector<near_hit> nearest_collector::take() {
  std::ranges::sort(kept_, is_nearer);
  std::vector<near_hit> hits;
  hits.reserve(kept_.size());
  for (const auto& kept : kept_) hits.push_back(kept.hit);
  kept_.clear();
  return hits;
}

} // namespace mneme
