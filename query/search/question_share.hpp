#pragma once
/// How much of a question a content has, whatever else was found: the share of the question's
/// words, also of those that nobody wrote. Function words count for less, and all others alike: how
/// rare a word is would say something of what the asker may not see, and nothing in a small world.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/lexical/lexical.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/text/topic_text.hpp"
#include "mneme/search.hpp"

namespace mneme {

/// The terms of a question, each once, in their order, without those of its contractions.
std::vector<std::string> distinct_terms(std::string_view question, std::string_view language);

/// The field that has most of the question's distinct `terms` in its name and its value, function
/// words for less; the first of `values` where several do. Empty where none has a word that is no
/// function word.
std::string best_field(const std::vector<std::string>& terms, const search_weights& weights,
                       std::span<const topic_value> values,
                       std::string_view language = default_language);

class question_share {
public:
  /// `terms` are distinct. `words` must outlive it.
  question_share(const std::vector<std::string>& terms, const search_weights& weights,
                 const lexical& words);

  /// In [0,1]. `also` are terms that the content has without saying them, as the name of who says
  /// it.
  [[nodiscard]] double of(slot_no slot, std::span<const std::string> also = {}) const;
  /// The words of the question that a content has, but for function words: numbers of terms,
  /// ascending.
  [[nodiscard]] std::vector<std::uint32_t> telling(slot_no slot) const;

private:
  struct asked_term {
    term_no term;
    bool is_function_word;
  };
  /// Calls `each` with every asked term that a content has, ascending.
  template <class Each>
  void for_each_had(slot_no slot, Each each) const;
  /// Of how many words; numbers, so that their order does not matter.
  [[nodiscard]] double weight(std::size_t telling, std::size_t function_words) const {
    return static_cast<double>(telling) + function_weight_ * static_cast<double>(function_words);
  }

  [[nodiscard]] bool has(slot_no slot, const std::string& term) const;

  const lexical& words_;
  double function_weight_;
  std::vector<std::string> texts_; ///< of all terms
  std::vector<asked_term> terms_;  ///< those that somebody wrote, by their numbers
  double whole_ = 0;
};

} // namespace mneme
