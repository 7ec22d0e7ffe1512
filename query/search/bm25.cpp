#include "query/search/bm25.hpp"

#include <algorithm>

#include "index/lexical/function_terms.hpp"
#include "messages/math.hpp"

namespace mneme {

double inverse_document_frequency(std::uint64_t documents, std::uint64_t with_term) {
  ensure(with_term <= documents, "no more documents have a term than there are");
  const auto all = static_cast<double>(documents + documents_besides);
  const auto some = static_cast<double>(with_term);
  return stable_log(1.0 + (all - some + 0.5) / (some + 0.5));
}

double term_share(const search_weights& w, std::string_view term, std::string_view language,
                  std::uint64_t documents, std::uint64_t with_term) {
  const double by_list = is_function_term(term, language) ? w.function_words : 1;
  const double frequency =
      static_cast<double>(with_term) / static_cast<double>(documents + documents_besides);
  return by_list / (1 + w.common_words * frequency);
}

double length_normalisation(const search_weights& w, double mean_length) {
  const double along =
      std::clamp((mean_length - w.short_length) / (w.long_length - w.short_length), 0.0, 1.0);
  return w.b_short + (w.b - w.b_short) * along;
}

} // namespace mneme
