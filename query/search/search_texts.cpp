#include "query/search/search_texts.hpp"

#include <algorithm>
#include <numeric>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// More lists than that are read at once.
constexpr std::size_t very_many = 128;
/// So few postings are gathered before they are sorted into the rows.
constexpr std::size_t least_gathered = 4096;
/// So many short steps are made from one look at the clock to the next.
constexpr std::uint64_t steps_of_check = 256;

} // namespace

search_texts::search_texts(const search_state& s, const search_leg& leg, const read_views& views)
    : search_(s), words_(*views.lexical), of_(leg.of) {
  const corpus_size size = words_.size(of_, s.context.at);
  if (leg.coverage.searched != 0 && size.length != 0) add_lists(s, leg, size);
  order_.resize(lists_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::stable_sort(order_, std::ranges::greater(),
                           [this](std::uint32_t i) { return lists_[i].most; });
  rests_.assign(lists_.size() + 1, 0.0);
  for (std::size_t i = order_.size(); i-- > 0;)
    rests_[i] = (rests_[i + 1] + lists_[order_[i]].most) * rounding_up;
  ensure(rests_.size() == order_.size() + 1 && rests_.back() == 0,
         "nothing is left when all lists are read");
}

void search_texts::add_lists(const search_state& s, const search_leg& leg,
                             const corpus_size& size) {
  const double b = s.length_share(leg);
  const double mean = static_cast<double>(size.length) / static_cast<double>(size.documents);
  for (const auto& text : s.terms) {
    if (!check_deadline()) return;
    const term_no term = words_.term(text);
    const std::uint64_t frequency = words_.document_frequency(of_, term, s.context.at);
    if (frequency == 0) continue;
    const double idf = inverse_document_frequency(size.documents, frequency);
    lists_.push_back({.term = term,
                      .by = bm25_term(s.weights.k1, b, idf, mean),
                      .most = idf * (s.weights.k1 + 1) * rounding_up});
  }
}

bool search_texts::are_very_many() const {
  return lists_.size() > very_many;
}

bool search_texts::check_deadline() {
  if (checks_++ % steps_of_check == 0) late_ = late_ || !search_.time.check();
  return !late_;
}

std::uint64_t search_texts::posting_count() const {
  std::uint64_t count = 0;
  for (const auto& list : lists_) count += words_.postings(of_, list.term).size();
  return count;
}

bool search_texts::read_more() {
  if (all_read() || late_) return false;
  // Sums in the order of the query are the scores themselves, to the last bit.
  if (are_very_many() || read_ + 1 == order_.size()) {
    merge_all();
  } else {
    checks_ = 0; // the rows are tested after each list, which takes longer than looking at a clock
    if (check_deadline()) merge(lists_[order_[read_++]]);
  }
  return !late_;
}

void search_texts::read_very_many() {
  if (are_very_many()) read_more();
}

void search_texts::merge_all() {
  rows_.clear();
  for (const auto& list : lists_) {
    if (!check_deadline()) return;
    const auto postings = words_.postings(of_, list.term);
    // What is long beside the rows is merged with them; short ones come together before that.
    if (gathered_.empty() && postings.size() >= std::max(least_gathered, rows_.size() / 4)) {
      merge(list);
      continue;
    }
    for (const auto& p : postings)
      gathered_.push_back({p.slot, list.by.score(p.count, words_.length({p.slot}))});
    if (gathered_.size() >= std::max(least_gathered, rows_.size())) merge_gathered();
  }
  merge_gathered();
  read_ = order_.size();
}

void search_texts::merge_gathered() {
  std::ranges::stable_sort(gathered_, {}, &partial_text::slot);
  std::vector<partial_text> merged;
  merged.reserve(rows_.size() + gathered_.size());
  auto row = rows_.begin();
  for (const auto& more : gathered_) {
    while (row != rows_.end() && row->slot < more.slot) merged.push_back(*row++);
    if (row != rows_.end() && row->slot == more.slot) merged.push_back(*row++);
    if (!merged.empty() && merged.back().slot == more.slot)
      merged.back().score += more.score;
    else
      merged.push_back(more);
  }
  merged.insert(merged.end(), row, rows_.end());
  rows_ = std::move(merged);
  gathered_.clear();
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
  ensure(count > 0, "the best of something are asked for");
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
  if (all_read()) {
    const auto row = std::ranges::lower_bound(rows_, slot.value, {}, &partial_text::slot);
    return row == rows_.end() || row->slot != slot.value ? 0 : row->score;
  }
  const std::uint32_t length = words_.length(slot);
  double sum = 0;
  for (const auto& list : lists_)
    if (const std::uint32_t count = words_.count(slot, list.term); count != 0)
      sum += list.by.score(count, length);
  return sum;
}

} // namespace mneme
