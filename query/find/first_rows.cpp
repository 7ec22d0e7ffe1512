#include "query/find/first_rows.hpp"

#include <algorithm>

namespace mneme {

void first_rows::offer(std::uint32_t i) {
  ensure(i < rows_.size(), "a row that is offered is there");
  if (!by_.may_be_up_to(last_key_, rows_[i])) return;
  by_.prefetch(rows_[i]);
  waiting_.push_back(i);
  if (waiting_.size() == rows_together) score_waiting();
}

void first_rows::score_waiting() {
  for (const std::uint32_t i : waiting_) {
    candidate& c = rows_[i];
    by_.set_key(c);
    if (c.key > last_key_) continue;
    if (kept_.size() == most_) drop_later();
    if (c.key <= last_key_) kept_.push_back({.key = c.key, .at = i});
  }
  waiting_.clear();
}

void first_rows::drop_later() {
  if (kept_.size() <= count_) return;
  const auto sooner = [this](const kept_row& a, const kept_row& b) { return before(a, b); };
  const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
  std::ranges::nth_element(kept_, last, sooner);
  last_key_ = last->key;
  kept_.resize(count_);
}

std::vector<candidate> first_rows::take() {
  score_waiting();
  drop_later();
  std::ranges::sort(kept_, [this](const kept_row& a, const kept_row& b) { return before(a, b); });
  std::vector<candidate> first;
  first.reserve(kept_.size());
  for (const auto& row : kept_) first.push_back(rows_[row.at]);
  kept_.clear();
  return first;
}

} // namespace mneme
