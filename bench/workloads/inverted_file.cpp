#include "bench/workloads/inverted_file.hpp"

#include <algorithm>
#include <cmath>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/text/forms.hpp"

namespace mneme::workloads {

inverted_file::inverted_file(const dataset& d) : documents_(d.rows.size()) {
  constexpr double k1 = 1.2;
  constexpr double b = 0.75;
  constexpr double function_words = 0.3;
  constexpr double common_words = 10;
  std::vector<double> lengths;
  double length = 0;
  // Of each term the documents, with the count where the impact will be.
  for (std::uint32_t i = 0; i < documents_; ++i) {
    const write_request r = request_of(d, i);
    const auto terms = text_terms(full_text(r.type, r.data));
    for (const auto& t : terms) {
      auto& list = postings_[t];
      if (list.empty() || list.back().document != i) list.push_back({i, 0});
      ++list.back().impact;
    }
    lengths.push_back(static_cast<double>(terms.size()));
    length += lengths.back();
  }
  constexpr double documents_besides = 30;
  const auto n = static_cast<double>(documents_) + documents_besides;
  const double mean = length / static_cast<double>(documents_);
  for (auto& [term, list] : postings_) {
    const auto with_term = static_cast<double>(list.size());
    const double share =
        (is_function_term(term) ? function_words : 1) / (1 + common_words * with_term / n);
    const double idf = std::log(1 + (n - with_term + 0.5) / (with_term + 0.5)) * share;
    for (auto& p : list) {
      const double count = p.impact;
      const double norm = k1 * (1 - b + b * lengths[p.document] / mean);
      p.impact = static_cast<float>(idf * (k1 + 1) * count / (count + norm));
    }
  }
}

void inverted_file::add_to(std::vector<float>& sums, std::span<const std::string> words) const {
  sums.assign(documents_, 0);
  for (const auto& word : words)
    for (const auto& term : text_terms(word)) {
      const auto found = postings_.find(term);
      if (found == postings_.end()) continue;
      for (const auto& p : found->second) sums[p.document] += p.impact;
    }
}

std::vector<float> inverted_file::scores(std::span<const std::string> words) const {
  std::vector<float> sums;
  add_to(sums, words);
  return sums;
}

rows inverted_file::best(std::span<const std::string> words, std::size_t k) const {
  thread_local std::vector<float> sums;
  add_to(sums, words);
  std::vector<std::pair<float, std::uint32_t>> kept;
  float least = 0;
  for (std::uint32_t i = 0; i < sums.size(); ++i) {
    if (sums[i] <= least) continue;
    const std::pair entry(-sums[i], i);
    kept.insert(std::ranges::upper_bound(kept, entry), entry);
    if (kept.size() > k) kept.pop_back();
    if (kept.size() == k) least = -kept.back().first;
  }
  rows found;
  for (const auto& [score, i] : kept) found.push_back(i);
  return found;
}

} // namespace mneme::workloads
