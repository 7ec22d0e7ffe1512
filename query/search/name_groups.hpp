#pragma once
/// How the words of a name and those of its other names count together: as those of the one name
/// that a content has most of. A list of a person's names is no better an answer than one of them.
///
///     what does Bob drink       Bob is also Robert, Bobby
///     drink + max(bob, robert, bobby)

#include <span>
#include <vector>

#include "query/search/other_names.hpp"
#include "query/search/word_sums.hpp"

namespace mneme {

class name_groups {
public:
  /// `words` are those of the question and of the other names. A word that several names have
  /// counts for the first; one of the question that is in none of its names counts by itself.
  name_groups(std::span<const alias_terms> names, std::span<const weighed_word> words,
              const lexical& index);

  /// No name has another.
  [[nodiscard]] bool empty() const { return groups_.empty(); }
  /// Of the parts of all words: at most their sum.
  [[nodiscard]] double sum(std::span<const double> parts) const;

private:
  using option = std::vector<std::size_t>; ///< places of words, ascending
  std::vector<std::size_t> alone_;         ///< likewise
  std::vector<std::vector<option>> groups_;
};

} // namespace mneme
