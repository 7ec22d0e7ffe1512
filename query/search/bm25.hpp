#pragma once
/// Okapi BM25 (Robertson and Walker), with the idf that is never negative.

#include <cstdint>
#include <string_view>

#include "messages/ensure.hpp"
#include "mneme/search.hpp"

namespace mneme {

/// How common a word is a few documents do not say: in them a function word may be the rarest. So
/// many are counted besides, none of which has the term.
inline constexpr std::uint64_t documents_besides = 30;

/// ln(1 + (N - n + 0.5) / (n + 0.5)) for a term that n of N documents have, those besides counted.
double inverse_document_frequency(std::uint64_t documents, std::uint64_t with_term);

/// What is left of a term's idf: function_words of a function word's, over 1 + common_words · n/N,
/// with the same N.
double term_share(const search_weights& w, std::string_view term, std::string_view language,
                  std::uint64_t documents, std::uint64_t with_term);

/// b for documents of `mean_length` terms: b_short up to short_length, b from long_length on, on a
/// line in between.
double length_normalisation(const search_weights& w, double mean_length);

/// What one term adds to the score of one document.
class bm25_term {
public:
  /// `mean_length` is that of the corpus.
  bm25_term(double k1, double b, double idf, double mean_length)
      : scale_(idf * (k1 + 1)), fixed_(k1 * (1 - b)), by_length_(k1 * b / mean_length) {
    ensure(mean_length > 0, "documents that have a term have a length");
  }

  [[nodiscard]] double score(std::uint32_t count, std::uint32_t length) const {
    const double tf = count;
    return scale_ * tf / (tf + fixed_ + by_length_ * length);
  }

private:
  double scale_;
  double fixed_;
  double by_length_;
};

} // namespace mneme
