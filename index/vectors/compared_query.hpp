#pragma once
/// One query beside all vectors that there are when it is made: every vector is compared once, by
/// its codes, and then asked about as often as needed. For who ranks by more than the distance.
/// The vectors must outlive it.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "index/vectors/vector_rows.hpp"
#include "index/vectors/vectors.hpp"

namespace mneme {

class compared_query {
public:
  /// Beside no vector: what a query of another dimension is.
  compared_query() = default;
  compared_query(const vector_rows& rows, std::span<const float> query,
                 const goes_on_check& goes_on = {});

  /// The k nearest of the slots that `accept` passes, nearest first. Which ones of equal distance
  /// is left open.
  [[nodiscard]] std::vector<near_hit> nearest(std::size_t k,
                                              const std::function<bool(slot_no)>& accept,
                                              const goes_on_check& goes_on = {}) const;
  /// Calls `visit(slot)` for every vector whose cosine can be `least` or more, in slot order.
  template <class Visit>
  void each_at_least(double least, Visit&& visit) const {
    const float bound = static_cast<float>(least) - slack;
    for (std::uint32_t i = 0; i < bounds_.size(); ++i)
      if (bounds_[i] >= bound) visit(rows_->slot(i));
  }
  /// At least the cosine of the slot's vector; 0 without one.
  [[nodiscard]] double bound_of(slot_no slot) const {
    const std::uint32_t at = rows_ == nullptr ? no_number : rows_->position_of(slot);
    return at < bounds_.size() ? static_cast<double>(bounds_[at] + slack) : 0.0;
  }

private:
  static constexpr float slack = 1e-6F; ///< for rounding a threshold to f32

  const vector_rows* rows_ = nullptr;
  std::vector<float> query_;
  std::vector<float> bounds_; ///< of the cosines, by position
};

} // namespace mneme
