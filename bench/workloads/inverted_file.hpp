#pragma once
/// BM25 over texts in memory: what is right to find by words, and the floor of finding it.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/workloads/truth.hpp"

namespace mneme::workloads {

/// Terms are the engine's own (index/lexical/text_terms.hpp); counting and scoring are not.
class inverted_file {
public:
  explicit inverted_file(const dataset& d);

  /// What each document that has any of the words scores, 0 elsewhere.
  [[nodiscard]] std::vector<float> scores(std::span<const std::string> words) const;
  [[nodiscard]] rows best(std::span<const std::string> words, std::size_t k) const;

private:
  struct posting {
    std::uint32_t document;
    float impact; ///< all that the term adds to the document's score
  };
  void add_to(std::vector<float>& sums, std::span<const std::string> words) const;

  std::size_t documents_;
  std::unordered_map<std::string, std::vector<posting>> postings_;
};

} // namespace mneme::workloads
