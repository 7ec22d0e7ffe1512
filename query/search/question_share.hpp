#pragma once
/// How much of a question a content has, whatever else was found: the weight of the question's
/// words that it has, over that of all, those that nobody wrote among them.
///
/// A word weighs as in BM25, in a corpus that has a thousand texts without it besides its own: of
/// three memories none could say which words are rare.

#include <string>
#include <vector>

#include "index/lexical/lexical.hpp"
#include "mneme/search.hpp"

namespace mneme {

class question_share {
public:
  /// `terms` are distinct. `words` must outlive it.
  question_share(const std::vector<std::string>& terms, const search_weights& weights,
                 const lexical& words, corpus of, seq_no at);

  /// In [0,1].
  [[nodiscard]] double of(slot_no slot) const;

private:
  struct weighed_term {
    term_no term;
    double weight;
  };

  const lexical& words_;
  std::vector<weighed_term> terms_; ///< those that somebody wrote, by their numbers
  double whole_ = 0;
};

} // namespace mneme
