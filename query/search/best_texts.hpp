#pragma once
/// The rows of a leg with the best texts, and those that may turn out to be among them: scores are
/// texts over the best one, which is known in the end, and two texts that differ in their last bits
/// may give the same score, whose order is that of ties.

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "messages/ensure.hpp"
#include "query/search/leg_members.hpp"
#include "query/search/word_sums.hpp"

namespace mneme {

class best_texts {
public:
  /// Keeps `most`. All must outlive it.
  best_texts(std::size_t most, const leg_members& members, const read_views& views)
      : most_(most), members_(members), is_before_(views) {
    ensure(most > 0, "the best of something are asked for");
  }

  /// Whatever has less is not among them.
  [[nodiscard]] double least() const { return least_; }
  /// No row that is searched and was not kept has a better text.
  [[nodiscard]] double best_left() const { return size_ < most_ ? 0 : by_text_.rbegin()->first; }
  /// 0 if there is none.
  [[nodiscard]] double best() const { return by_text_.empty() ? 0 : by_text_.begin()->first; }

  /// Of very many the best are looked at first, so that most of the others need not be.
  void offer(std::span<summed_text> texts) {
    if (texts.size() > 2 * most_) {
      const auto middle = texts.begin() + static_cast<std::ptrdiff_t>(most_);
      std::ranges::nth_element(texts, middle, std::ranges::greater(), &summed_text::text);
    }
    for (const auto& t : texts)
      if (t.text >= least_) offer(t);
  }

  /// Calls `visit(row)` for each, the best texts first.
  template <class Visit>
  void each(const Visit& visit) const {
    for (const auto& [text, rows] : by_text_)
      for (const auto& row : rows) visit(row);
  }

private:
  /// Texts that are closer may be the same when they are divided.
  static constexpr double same_score = 1 - 1e-15;

  void offer(const summed_text& t) {
    const auto same = by_text_.find(t.text);
    // Of the same text, which very many may have, no more than `most` can be wanted.
    const bool is_full = same != by_text_.end() && same->second.size() == most_;
    const leg_row row{.row = members_.find_untested({t.slot}), .slot = {t.slot}, .text = t.text};
    if (row.row.value == no_number || (is_full && !is_before_(row, same->second.front()))) return;
    if (!members_.contains_row(row.row)) return;
    auto& rows = same == by_text_.end() ? by_text_[t.text] : same->second;
    if (is_full) {
      std::ranges::pop_heap(rows, is_before_);
      rows.pop_back();
      --size_;
    }
    rows.push_back(row);
    std::ranges::push_heap(rows, is_before_);
    ++size_;
    drop_unwanted();
    if (size_ >= most_) least_ = by_text_.rbegin()->first * same_score;
  }

  void drop_unwanted() {
    while (size_ - by_text_.rbegin()->second.size() >= most_) {
      const auto last = std::prev(by_text_.end());
      if (last->first >= std::prev(last)->first * same_score) return;
      size_ -= last->second.size();
      by_text_.erase(last);
    }
  }

  std::size_t most_;
  const leg_members& members_;
  tie_order is_before_;
  /// Each a heap with the last in front.
  std::map<double, std::vector<leg_row>, std::greater<>> by_text_;
  std::size_t size_ = 0;
  double least_ = 0; ///< what is kept has, once there are enough
};

} // namespace mneme
