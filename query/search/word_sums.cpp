#include "query/search/word_sums.hpp"

#include <algorithm>
#include <numeric>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// So many short steps are made from one look at the clock to the next.
constexpr std::uint64_t steps_of_check = 256;
/// To look at a content's words one by one costs as much as to read so many postings.
constexpr std::uint32_t cost_of_content = 16;
/// Where fewer postings were read, the sums that they made are visited by them.
constexpr std::uint32_t few_postings = word_sums::tile_slots / 4;
/// Lists of so many postings look their scores up: the table is worth its making.
constexpr std::uint64_t many_postings = 8ULL * score_table::size;
/// A query of more words asks of the words that a content has instead.
constexpr std::size_t few_words = 8;

static_assert(lexical::length_run % word_sums::tile_slots == 0,
              "the lengths of a tile lie together");

} // namespace

word_sums::word_sums(const lexical& words, corpus of, std::vector<weighed_word> query,
                     const deadline& time)
    : words_(words),
      of_(of),
      query_(std::move(query)),
      time_(time),
      by_term_(query_.size()),
      // Each addition and each part may be off by less than 1e-15 of the sum.
      rounding_up_(1 + 1e-15 * static_cast<double>(query_.size() + 16)),
      lists_(query_.size()),
      found_(std::make_unique_for_overwrite<summed_text[]>(tile_slots + 1)) {
  std::iota(by_term_.begin(), by_term_.end(), 0U);
  std::ranges::sort(by_term_, {}, [this](std::uint32_t word) { return query_[word].term; });
  for (std::size_t i = 0; i < query_.size(); ++i) {
    lists_[i].blocks = words_.postings(of_, query_[i].term);
    if (mneme::posting_count(lists_[i].blocks) >= many_postings)
      lists_[i].scores = score_table(query_[i].by);
  }
}

bool word_sums::check_time() {
  if (steps_++ % steps_of_check == 0) late_ = late_ || !time_.check();
  return !late_;
}

std::uint64_t word_sums::posting_count() const {
  std::uint64_t count = 0;
  for (const auto& list : lists_) count += mneme::posting_count(list.blocks);
  return count;
}

double word_sums::sum_of(slot_no slot) const {
  const std::uint32_t length = words_.length(slot);
  const auto terms = words_.terms(slot);
  double sum = 0;
  if (query_.size() <= few_words) {
    for (const auto& word : query_) {
      const auto at = std::ranges::lower_bound(terms, word.term.value, {}, &term_count::term);
      if (at != terms.end() && at->term == word.term.value) sum += word.by.score(at->count, length);
    }
    return sum;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> had; // words and their counts
  for (const auto& t : terms) {
    const auto at = std::ranges::lower_bound(
        by_term_, term_no{t.term}, {}, [this](std::uint32_t word) { return query_[word].term; });
    if (at != by_term_.end() && query_[*at].term.value == t.term) had.emplace_back(*at, t.count);
  }
  std::ranges::sort(had);
  for (const auto& [word, count] : had) sum += query_[word].by.score(count, length);
  return sum;
}

void word_sums::rewind() {
  waiting_.clear();
  here_.clear();
  for (std::uint32_t word = 0; word < lists_.size() && check_time(); ++word) {
    word_list& list = lists_[word];
    if (list.blocks.empty()) continue;
    list.from = {static_cast<std::uint32_t>(list.blocks.size() - 1), list.blocks.back().size()};
    wait(word);
  }
}

void word_sums::wait(std::uint32_t word) {
  const word_list& list = lists_[word];
  const auto [block, end] = list.from;
  if (end == 0) return;
  waiting_.push_back({list.blocks[block].slot(end - 1), word});
  std::ranges::push_heap(waiting_);
}

bool word_sums::next() {
  for (const std::uint32_t word : here_) wait(word);
  here_.clear();
  if (late_ || waiting_.empty()) return false;
  first_ = waiting_.front().slot / tile_slots * tile_slots;
  while (!waiting_.empty() && waiting_.front().slot >= first_) {
    if (!check_time()) return false;
    here_.push_back(waiting_.front().word);
    std::ranges::pop_heap(waiting_);
    waiting_.pop_back();
  }
  std::ranges::sort(here_);
  for (const std::uint32_t word : here_) enter_tile(word);
  return true;
}

void word_sums::enter_tile(std::uint32_t word) {
  word_list& list = lists_[word];
  list.to = list.from;
  list.is_read = true;
  list.count = 0;
  list.most = 0;
  for (auto& [at, end] = list.from;;) {
    const posting_block& block = list.blocks[at];
    block.prefetch();
    list.most =
        std::max(list.most, query_[word].by.score(block.most_count(), block.least_length()));
    const std::uint32_t below = block.count_below(first_, end);
    list.count += end - below;
    end = below;
    if (below != 0 || at == 0) return;
    const posting_block& earlier = list.blocks[at - 1];
    end = earlier.size();
    --at;
    if (earlier.slot(end - 1) < first_) return;
  }
}

std::span<summed_text> word_sums::at_least(double least) {
  found_count_ = 0;
  double most = 0;
  for (const std::uint32_t word : here_) most += lists_[word].most;
  if (most * rounding_up_ < least) return {};
  const double unread = leave_unread(least);
  for (const std::uint32_t word : here_)
    if (lists_[word].is_read && check_time()) add(word);
  find_sums(unread == 0 ? least : least / rounding_up_ - unread);
  ensure(found_count_ <= tile_slots, "each content of a tile is found once");
  const std::span<summed_text> found(found_.get(), found_count_);
  if (unread == 0) return found;
  for (auto& f : found) f.text = sum_of({f.slot});
  const auto less = std::ranges::remove_if(
      found, [least](double sum) { return sum < least; }, &summed_text::text);
  return found.first(found.size() - less.size());
}

double word_sums::leave_unread(double least) {
  std::uint32_t left = 0;
  std::uint32_t read = 0;
  for (const std::uint32_t word : here_) read += lists_[word].count;
  // The weakest first, which are mostly the longest.
  std::vector<std::uint32_t> weakest = here_;
  std::ranges::sort(weakest, {}, [this](std::uint32_t word) { return lists_[word].most; });
  double unread = 0;
  std::size_t count = 0;
  for (; count < weakest.size(); ++count) {
    const word_list& list = lists_[weakest[count]];
    if ((unread + list.most) * rounding_up_ >= least) break;
    unread += list.most;
    left += list.count;
    read -= list.count;
  }
  if (left < cost_of_content * read) return 0;
  for (std::size_t i = 0; i < count; ++i) lists_[weakest[i]].is_read = false;
  return unread * rounding_up_;
}

template <class Visit>
void word_sums::each_block(const word_list& list, Visit&& visit) const {
  for (std::uint32_t at = list.from.block; at <= list.to.block; ++at) {
    const posting_block& block = list.blocks[at];
    const std::uint32_t begin = at == list.from.block ? list.from.end : 0;
    const std::uint32_t end = at == list.to.block ? list.to.end : block.size();
    visit(block, begin, end);
  }
}

void word_sums::add(std::uint32_t word) {
  const bm25_term by = query_[word].by;
  const std::uint32_t* lengths = words_.lengths_from({first_});
  // Of a block first all parts, then all additions: the compiler makes several divisions at once.
  std::array<double, posting_block::capacity_max> parts;
  std::array<std::uint32_t, posting_block::capacity_max> length_of;
  const score_table& scores = lists_[word].scores;
  each_block(lists_[word], [&](const posting_block& block, std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t base = block.first() - first_; // of a block that began before, below zero
    const std::uint16_t* offsets = block.offsets() + begin;
    const std::uint8_t* counts = block.counts() + begin;
    const std::uint32_t size = end - begin;
    if (scores.is_filled() && block.most_count() < posting_block::many) {
      for (std::uint32_t i = 0; i < size; ++i) {
        const std::uint32_t at = base + offsets[i];
        sums_[at] += scores.score(by, counts[i], lengths[at]);
      }
      return;
    }
    for (std::uint32_t i = 0; i < size; ++i) length_of[i] = lengths[base + offsets[i]];
    for (std::uint32_t i = 0; i < size; ++i) parts[i] = by.score(counts[i], length_of[i]);
    if (block.most_count() >= posting_block::many) set_many(block, begin, end, word, parts.data());
    for (std::uint32_t i = 0; i < size; ++i) sums_[base + offsets[i]] += parts[i];
  });
}

void word_sums::set_many(const posting_block& block, std::uint32_t begin, std::uint32_t end,
                         std::uint32_t word, double* parts) const {
  const auto& [term, by] = query_[word];
  for (std::uint32_t i = begin; i < end; ++i) {
    if (block.counts()[i] != posting_block::many) continue;
    const slot_no slot{block.slot(i)};
    parts[i - begin] = by.score(words_.count(slot, term), words_.length(slot));
  }
}

void word_sums::find_sums(double least) {
  std::uint32_t read = 0;
  for (const std::uint32_t word : here_)
    if (lists_[word].is_read) read += lists_[word].count;
  if (read >= few_postings) {
    find_in_all(least);
    return;
  }
  for (const std::uint32_t word : here_) {
    if (!lists_[word].is_read) continue;
    each_block(lists_[word],
               [&](const posting_block& block, std::uint32_t begin, std::uint32_t end) {
                 for (std::uint32_t i = begin; i < end; ++i) {
                   const std::uint32_t at = block.slot(i) - first_;
                   offer(at, least);
                   sums_[at] = 0; // it may be in more than one list
                 }
               });
  }
}

void word_sums::find_in_all(double least) {
  constexpr std::uint32_t step = 16; // which the compiler compares at once
  for (std::uint32_t begin = 0; begin < tile_slots; begin += step) {
    double most = 0;
    for (std::uint32_t at = begin; at < begin + step; ++at)
      most = sums_[at] > most ? sums_[at] : most;
    if (most < least || most == 0) continue;
    // Written either way, and kept or not: which of them reach `least` cannot be foretold.
    for (std::uint32_t at = begin; at < begin + step; ++at) {
      found_[found_count_] = {first_ + at, sums_[at]};
      found_count_ +=
          static_cast<std::size_t>(sums_[at] >= least) & static_cast<std::size_t>(sums_[at] > 0);
    }
  }
  sums_.fill(0);
}

void word_sums::offer(std::uint32_t at, double least) {
  const double sum = sums_[at];
  if (sum < least || sum == 0) return;
  ensure(found_count_ < tile_slots, "there is room for each content of a tile");
  found_[found_count_++] = {first_ + at, sum};
}

} // namespace mneme
