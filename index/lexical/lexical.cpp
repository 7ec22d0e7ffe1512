#include "index/lexical/lexical.hpp"

#include <algorithm>

#include "index/lexical/lexical_state.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// The last entry at or before `at`, or nullptr. Seqs ascend.
template <class Entry>
const Entry* last_at(std::span<const Entry> entries, seq_no at) {
  const auto after = std::ranges::upper_bound(entries, at.value, {}, &Entry::seq);
  return after == entries.begin() ? nullptr : &*std::prev(after);
}

/// Terms with their counts, in term order.
std::vector<term_count> counted(std::vector<std::uint32_t> terms) {
  std::ranges::sort(terms);
  std::vector<term_count> counts;
  for (const std::uint32_t term : terms) {
    if (counts.empty() || counts.back().term != term) counts.push_back({term, 0});
    ++counts.back().count;
  }
  return counts;
}

} // namespace

void lexical::impl::list_terms() {
  const std::uint32_t known = terms.size();
  for (std::uint32_t t = terms_listed.load(std::memory_order_relaxed); t < known; ++t)
    for (auto& by_term : lists) by_term.grow(t);
  terms_listed.store(known, std::memory_order_release);
}

void lexical::impl::resize(corpus in, std::int64_t documents_more, std::int64_t length_more,
                           std::uint64_t seq) {
  auto& list = sizes[static_cast<std::size_t>(in)];
  ensure(list.size == 0 || list.entries[list.size - 1].seq <= seq, "contents change in seq order");
  corpus_size now = list.size == 0 ? corpus_size{} : list.entries[list.size - 1].size;
  ensure(documents_more > 0
             || (now.documents > 0 && now.length >= static_cast<std::uint64_t>(-length_more)),
         "what ends was counted when it began");
  now.documents += static_cast<std::uint64_t>(documents_more);
  now.length += static_cast<std::uint64_t>(length_more);
  list.append({seq, now}, size_arrays);
}

std::span<const term_count> lexical::impl::keep(std::span<const term_count> its_terms) {
  const auto kept = counts.add(its_terms.size());
  std::ranges::copy(its_terms, kept.begin());
  return kept;
}

void lexical::impl::enter(slot_no slot, node_no node, corpus in,
                          std::span<const term_count> its_terms, std::uint64_t begin) {
  ensure(slot.value >= slot_limit.load(std::memory_order_relaxed), "slots come in order");
  ensure(terms.size() == terms_listed.load(std::memory_order_relaxed), "its terms have lists");
  std::uint32_t length = 0;
  for (const auto& t : its_terms) length += t.count;
  documents.grow(slot.value) = {.begin = begin,
                                .terms = reinterpret_cast<std::uint64_t>(its_terms.data()),
                                .distinct = static_cast<std::uint32_t>(its_terms.size()),
                                .length = length,
                                .node = node.value,
                                .in = static_cast<std::uint8_t>(in),
                                .known = true,
                                .live = true};
  lengths.grow(slot.value) = length;
  for (const auto& t : its_terms)
    lists[static_cast<std::size_t>(in)][t.term].postings.append(slot.value, t.count, length,
                                                                postings);
  resize(in, 1, length, begin);
  newest.grow(node.value) = slot.value + 1;
  slot_limit.store(slot.value + 1, std::memory_order_release);
  ++held;
}

void lexical::impl::change(std::uint32_t slot, bool live, std::uint64_t seq) {
  lexical_document& d = documents.grow(slot);
  ensure(d.known && d.live != live, "a content changes to what it is not yet");
  const std::int64_t step = live ? 1 : -1;
  for (const auto& t : terms_of(d)) {
    auto& list = lists[d.in][t.term].changes;
    const std::int64_t sum = list.size == 0 ? 0 : list.entries[list.size - 1].sum;
    ensure(sum + step <= 0, "no more contents are live than were written");
    list.append({seq, sum + step}, frequency_arrays);
  }
  resize(static_cast<corpus>(d.in), step, step * static_cast<std::int64_t>(d.length), seq);
  changes.append({seq, slot, live ? 1U : 0U}, change_arrays);
  d.live = live;
}

std::int64_t lexical::impl::written_with(const term_lists& term, seq_no at) const {
  const auto blocks = term.postings.view();
  const auto is_written = [&](std::uint32_t slot) {
    return documents.find(slot)->begin <= at.value;
  };
  const auto behind = std::ranges::partition_point(
      blocks, [&](const posting_block& b) { return is_written(b.first()); });
  if (behind == blocks.begin()) return 0;
  const posting_block& last = *std::prev(behind);
  std::uint32_t written = 0;
  for (std::uint32_t size = last.size(); written < size;) {
    const std::uint32_t middle = (written + size) / 2;
    if (is_written(last.slot(middle)))
      written = middle + 1;
    else
      size = middle;
  }
  return std::int64_t{last.before()} + written;
}

lexical::lexical(std::string language)
    : language_(std::move(language)), impl_(std::make_unique<impl>()) {
}
lexical::~lexical() = default;

void lexical::set_language(std::string language) {
  ensure(held() == 0, "the terms of an index are of one language");
  language_ = std::move(language);
}

void lexical::put(node_no node, slot_no slot, corpus in, std::string_view text, seq_no seq) {
  ensure(node.value != no_number && slot.value != no_number, "a content belongs to a node");
  set_live(node, false, seq);
  std::vector<std::uint32_t> terms;
  for (const auto& t : text_terms(text, language_)) terms.push_back(impl_->terms.intern(t));
  impl_->list_terms();
  impl_->enter(slot, node, in, impl_->keep(counted(std::move(terms))), seq.value);
}

void lexical::carry(node_no node, slot_no slot, seq_no seq) {
  const std::uint32_t* newest = impl_->newest.find(node.value);
  ensure(newest != nullptr && *newest != 0, "a content that moves is there");
  const lexical_document content = impl_->documents.grow(*newest - 1);
  set_live(node, false, seq);
  impl_->enter(slot, node, static_cast<corpus>(content.in), impl_->terms_of(content), seq.value);
}

void lexical::set_live(node_no node, bool live, seq_no seq) {
  const std::uint32_t* newest = impl_->newest.find(node.value);
  if (newest == nullptr || *newest == 0) return;
  if (impl_->documents.grow(*newest - 1).live != live) impl_->change(*newest - 1, live, seq.value);
}

void lexical::erase(node_no node, seq_no seq) {
  ensure(node.value != no_number, "what is erased has a node");
  set_live(node, false, seq);
  const std::lock_guard hold(impl_->erased_guard);
  impl_->erased.insert(node.value);
}

void lexical::retain_from(seq_no seq) {
  if (seq.value > impl_->retained.load(std::memory_order_relaxed))
    impl_->retained.store(seq.value, std::memory_order_release);
}

std::uint32_t lexical::held() const {
  return impl_->held;
}

std::uint32_t lexical::distinct_terms() const {
  return impl_->terms.size();
}

term_no lexical::term(std::string_view text) const {
  return {impl_->terms.find(text)};
}

corpus_size lexical::size(corpus of, seq_no at) const {
  const auto* last = last_at(impl_->sizes[static_cast<std::size_t>(of)].view(), at);
  return last == nullptr ? corpus_size{} : last->size;
}

std::uint64_t lexical::document_frequency(corpus of, term_no term, seq_no at) const {
  const term_lists* lists = impl_->lists_of(of, term);
  if (lists == nullptr) return 0;
  const auto* change = last_at(lists->changes.view(), at);
  const std::int64_t live = impl_->written_with(*lists, at) + (change == nullptr ? 0 : change->sum);
  ensure(live >= 0, "no more contents have ended than were written");
  return static_cast<std::uint64_t>(live);
}

std::span<const posting_block> lexical::postings(corpus of, term_no term) const {
  const term_lists* lists = impl_->lists_of(of, term);
  return lists == nullptr ? std::span<const posting_block>() : lists->postings.view();
}

std::uint32_t lexical::length(slot_no slot) const {
  const std::uint32_t* length = impl_->lengths.find(slot.value);
  return length == nullptr ? 0 : *length;
}

const std::uint32_t* lexical::lengths_from(slot_no first) const {
  return impl_->lengths.find(first.value);
}

std::span<const term_count> lexical::terms(slot_no slot) const {
  const lexical_document* d = impl_->find(slot.value);
  return d == nullptr ? std::span<const term_count>() : impl_->terms_of(*d);
}

std::uint32_t lexical::count(slot_no slot, term_no term) const {
  const auto all = terms(slot);
  const auto at = std::ranges::lower_bound(all, term.value, {}, &term_count::term);
  return at == all.end() || at->term != term.value ? 0 : at->count;
}

} // namespace mneme
