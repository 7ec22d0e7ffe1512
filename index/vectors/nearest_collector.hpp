#pragma once
/// Keeps the k nearest of what it is offered: by distance, ties by id, then by slot.

#include <functional>
#include <limits>
#include <vector>

#include "index/vectors/vectors.hpp"
#include "messages/ensure.hpp"

namespace mneme {

class nearest_collector {
public:
  /// `tie` gives a slot's id; it must outlive the collector.
  nearest_collector(std::size_t k, const std::function<memory_id(slot_no)>& tie)
      : k_(k), tie_(tie) {
    ensure(k > 0, "a collector keeps something");
  }

  /// Could something at this distance still enter?
  [[nodiscard]] bool may_enter(double distance) const {
    return kept_.size() < k_ || distance <= kept_.front().distance;
  }
  /// Only a vector whose cosine may reach this can still enter.
  [[nodiscard]] float least_cosine() const {
    if (kept_.size() < k_) return -std::numeric_limits<float>::infinity();
    // Half of a bound's slack: the rounding of this number does not matter.
    return static_cast<float>(1.0 - kept_.front().distance) - 1e-6F;
  }
  void offer(slot_no slot, double distance);
  /// Nearest first; ends the collection.
  std::vector<near_hit> take();

private:
  /// Ids are looked up only where distances are equal.
  [[nodiscard]] bool is_nearer(const near_hit& a, const near_hit& b) const;

  std::size_t k_;
  const std::function<memory_id(slot_no)>& tie_;
  std::vector<near_hit> kept_; ///< a heap with the farthest in front
};

} // namespace mneme
