#pragma once
/// The rows of a leg whose scores are bounded highest: those that are worth scoring first.

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "query/search/leg_members.hpp"
#include "query/search/word_sums.hpp"

namespace mneme {

struct bounded_row {
  double bound; ///< above 0
  slot_no slot;
  row_no row;
};

class best_bounds {
public:
  /// Keeps `most`. `members` must outlive it.
  best_bounds(std::size_t most, const leg_members& members) : most_(most), members_(members) {}

  /// No row that was offered and is not kept has a higher bound; 0 while all are kept.
  [[nodiscard]] double least() const { return rows_.size() < most_ ? 0 : rows_.front().bound; }

  void offer(slot_no slot, double bound) {
    if (bound <= least()) return;
    const row_no row = members_.find(slot);
    if (row.value == no_number) return;
    if (rows_.size() == most_) {
      std::ranges::pop_heap(rows_, std::ranges::greater(), &bounded_row::bound);
      rows_.pop_back();
    }
    rows_.push_back({bound, slot, row});
    std::ranges::push_heap(rows_, std::ranges::greater(), &bounded_row::bound);
  }
  /// Their texts are their bounds. Of very many the highest are looked at first.
  void offer(std::span<summed_text> bounds) {
    if (bounds.size() > 2 * most_) {
      const auto middle = bounds.begin() + static_cast<std::ptrdiff_t>(most_);
      std::ranges::nth_element(bounds, middle, std::ranges::greater(), &summed_text::text);
    }
    for (const auto& b : bounds) offer({b.slot}, b.text);
  }

  [[nodiscard]] std::span<const bounded_row> rows() const { return rows_; }

private:
  std::size_t most_;
  const leg_members& members_;
  std::vector<bounded_row> rows_; ///< a heap with the lowest in front
};

} // namespace mneme
