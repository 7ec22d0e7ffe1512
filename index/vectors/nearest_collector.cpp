#include "index/vectors/nearest_collector.hpp"

#include <algorithm>
#include <utility>

namespace mneme {

bool nearest_collector::is_nearer(const near_hit& a, const near_hit& b) const {
  if (a.distance != b.distance) return a.distance < b.distance;
  if (tie_) {
    const memory_id left = tie_(a.slot);
    const memory_id right = tie_(b.slot);
    if (left != right) return left < right;
  }
  return a.slot < b.slot;
}

void nearest_collector::offer(slot_no slot, double distance) {
  if (!may_enter(distance)) return;
  const auto nearer = [this](const near_hit& a, const near_hit& b) { return is_nearer(a, b); };
  const near_hit offered{.slot = slot, .distance = distance};
  if (kept_.size() == k_) {
    if (!nearer(offered, kept_.front())) return;
    std::ranges::pop_heap(kept_, nearer);
    kept_.pop_back();
  }
  kept_.push_back(offered);
  std::ranges::push_heap(kept_, nearer);
}

std::vector<near_hit> nearest_collector::take() {
  std::ranges::sort(kept_,
                    [this](const near_hit& a, const near_hit& b) { return is_nearer(a, b); });
  return std::exchange(kept_, {});
}

} // namespace mneme
