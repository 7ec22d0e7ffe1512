#include "query/search_texts.hpp"

#include <algorithm>
#include <numeric>

namespace mneme {

search_texts::search_texts(const search_state& s, const search_leg& leg, const read_views& views)
    : words_(*views.lexical), of_(leg.of) {
  const corpus_size size = words_.size(of_, s.context.at);
  if (leg.coverage.searched != 0 && size.length != 0) {
    const double b = s.length_share(leg);
    const double mean = static_cast<double>(size.length) / static_cast<double>(size.documents);
    for (const auto& text : s.terms) {
      const term_no term = words_.term(text);
      const std::uint64_t frequency = words_.document_frequency(of_, term, s.context.at);
      if (frequency == 0) continue;
      const double idf = inverse_document_frequency(size.documents, frequency);
      lists_.push_back({.term = term,
                        .by = bm25_term(s.weights.k1, b, idf, mean),
                        .most = idf * (s.weights.k1 + 1) * rounding_up});
    }
  }
  order_.resize(lists_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::stable_sort(order_, std::ranges::greater(),
                           [this](std::uint32_t i) { return lists_[i].most; });
  rests_.assign(lists_.size() + 1, 0.0);
  for (std::size_t i = order_.size(); i-- > 0;)
    rests_[i] = (rests_[i + 1] + lists_[order_[i]].most) * rounding_up;
}

std::uint64_t search_texts::posting_count() const {
  std::uint64_t count = 0;
  for (const auto& list : lists_) count += words_.postings(of_, list.term).size();
  return count;
}

bool search_texts::read_more() {
  if (all_read()) return false;
  const term_list& next = lists_[order_[read_++]];
  if (!all_read()) {
    merge(next);
    return true;
  }
  // Sums in the order of the query are the scores themselves, to the last bit.
  rows_.clear();
  for (const auto& list : lists_) merge(list);
  return true;
}

void search_texts::merge(const term_list& list) {
  const auto postings = words_.postings(of_, list.term);
  std::vector<partial_text> merged;
  merged.reserve(rows_.size() + postings.size());
  auto row = rows_.begin();
  for (const auto& p : postings) {
    const double more = list.by.score(p.count, words_.length({p.slot}));
    while (row != rows_.end() && row->slot < p.slot) merged.push_back(*row++);
    const bool is_known = row != rows_.end() && row->slot == p.slot;
    merged.push_back({p.slot, is_known ? (row++)->score + more : more});
  }
  merged.insert(merged.end(), row, rows_.end());
  rows_ = std::move(merged);
}

bool search_texts::may_decide(std::size_t count) const {
  if (all_read()) return true;
  if (rows_.size() < count) return false;
  std::vector<double> scores;
  scores.reserve(rows_.size());
  for (const auto& row : rows_) scores.push_back(row.score);
  const auto last = scores.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::ranges::nth_element(scores, last, std::ranges::greater());
  return *last > rest();
}

double search_texts::score(slot_no slot) const {
  const std::uint32_t length = words_.length(slot);
  double sum = 0;
  for (const auto& list : lists_)
    if (const std::uint32_t count = words_.count(slot, list.term); count != 0)
      sum += list.by.score(count, length);
  return sum;
}

} // namespace mneme
