#include "query/search/question_share.hpp"

#include <algorithm>

#include "query/search/bm25.hpp"

namespace mneme {

namespace {

constexpr std::uint64_t texts_besides = 1000;

} // namespace

question_share::question_share(const std::vector<std::string>& terms, const search_weights& weights,
                               const lexical& words, corpus of, seq_no at)
    : words_(words) {
  const std::uint64_t documents = words.size(of, at).documents + texts_besides;
  for (const auto& text : terms) {
    const term_no term = words.term(text);
    const std::uint64_t with_term = words.document_frequency(of, term, at);
    const double weight = inverse_document_frequency(documents, with_term)
                          * term_share(weights, text, documents, with_term);
    whole_ += weight;
    if (with_term != 0) terms_.push_back({term, weight});
  }
  std::ranges::sort(terms_, {}, &weighed_term::term);
}

double question_share::of(slot_no slot) const {
  if (whole_ == 0) return 0;
  const auto had = words_.terms(slot); // by their numbers, too
  double sum = 0;
  if (terms_.size() < had.size()) {
    auto at = had.begin();
    for (const auto& [term, weight] : terms_) {
      at = std::ranges::lower_bound(at, had.end(), term.value, {}, &term_count::term);
      if (at == had.end()) break;
      if (at->term == term.value) sum += weight;
    }
  } else {
    auto at = terms_.begin();
    for (const auto& t : had) {
      at = std::ranges::lower_bound(at, terms_.end(), term_no{t.term}, {}, &weighed_term::term);
      if (at == terms_.end()) break;
      if (at->term.value == t.term) sum += at->weight;
    }
  }
  return std::min(1.0, sum / whole_);
}

} // namespace mneme
