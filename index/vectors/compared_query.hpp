#pragma once
/// One query beside all vectors that there are when it is made: every vector is compared once, by
/// its codes, and then asked about as often as needed, but for runs of those that are left out. For
/// who ranks by more than the distance.
/// The vectors must outlive it.

#include <algorithm>
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
                 const goes_on_check& goes_on = {}, const slots_left_out& left_out = {});

  /// The k nearest of the slots that `accept` passes, nearest first; it passes none left out. Which
  /// ones of equal distance is left open.
  [[nodiscard]] std::vector<near_hit> nearest(std::size_t k,
                                              const std::function<bool(slot_no)>& accept,
                                              const goes_on_check& goes_on = {}) const;
  /// Calls `visit(slot)` for every vector whose cosine can be `least` or more, in slot order.
  template <class Visit>
  void each_at_least(double least, Visit&& visit) const {
    const float bound = static_cast<float>(least) - slack;
    for (std::uint32_t group = 0; group < most_.size(); ++group) {
      if (most_[group] < bound) continue;
      for (std::uint32_t i = group * group_size; i < end_of(group); ++i)
        if (bounds_[i] >= bound) visit(rows_->slot(i));
    }
  }
  /// At least the cosine of the slot's vector; 0 or less without one, or where it was left out.
  [[nodiscard]] double bound_of(slot_no slot) const {
    const std::uint32_t at = rows_ == nullptr ? no_number : rows_->position_of(slot);
    return at < bounds_.size() ? static_cast<double>(bounds_[at] + slack) : 0.0;
  }

  /// The bounds of the slots in a range.
  class range {
  public:
    /// No less than any of them, and than 0.
    [[nodiscard]] double most() const { return most_; }
    /// bound_of(slot). Precondition: the slot is in the range.
    [[nodiscard]] double of(slot_no slot) const {
      if (bounds_ == nullptr) return all_->bound_of(slot);
      const std::uint32_t at = slot.value - first_;
      return at < count_ ? static_cast<double>(bounds_[at] + slack) : 0.0;
    }

  private:
    friend class compared_query;
    const compared_query* all_ = nullptr;
    const float* bounds_ = nullptr; ///< of the slots from first_ on, if none of them lacks a vector
    std::uint32_t first_ = 0;
    std::uint32_t count_ = 0;
    double most_ = 0;
  };
  [[nodiscard]] range within(slot_no first, slot_no end) const;

private:
  static constexpr std::uint32_t group_size = 512;
  [[nodiscard]] std::uint32_t end_of(std::uint32_t group) const {
    return std::min((group + 1) * group_size, static_cast<std::uint32_t>(bounds_.size()));
  }
  /// Of the vectors of slots below `slot`.
  [[nodiscard]] std::uint32_t count_below(slot_no slot) const;

  static constexpr float slack = 1e-6F; ///< for rounding a threshold to f32

  const vector_rows* rows_ = nullptr;
  std::vector<float> query_;
  std::vector<float> bounds_; ///< of the cosines, by position
  std::vector<float> most_;   ///< of the bounds of each group of positions
};

} // namespace mneme
