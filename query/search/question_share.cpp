#include "query/search/question_share.hpp"

#include <algorithm>
#include <unordered_set>

#include "index/lexical/function_terms.hpp"
#include "query/asked_words.hpp"

namespace mneme {

std::vector<std::string> distinct_terms(std::string_view question, std::string_view language) {
  std::vector<std::string> distinct;
  std::unordered_set<std::string> known; // only asked, so that its order shows nowhere
  // The list of such endings is English, as that of the function words.
  const std::string asked =
      language == default_language ? without_contractions(question) : std::string(question);
  for (auto& term : text_terms(asked, language))
    if (known.insert(term).second) distinct.push_back(std::move(term));
  return distinct;
}

std::string best_field(const std::vector<std::string>& terms, const search_weights& weights,
                       std::span<const topic_value> values, std::string_view language) {
  std::string best;
  double most = 0;
  for (const auto& value : values) {
    const auto had = text_terms(field_lines(std::span(&value, 1)), language);
    std::size_t telling = 0;
    std::size_t function_words = 0;
    for (const auto& term : terms)
      if (std::ranges::find(had, term) != had.end())
        ++(is_function_term(term, language) ? function_words : telling);
    const double has =
        static_cast<double>(telling) + weights.function_words * static_cast<double>(function_words);
    if (telling == 0 || has <= most) continue;
    most = has;
    best = value.name;
  }
  return best;
}

question_share::question_share(const std::vector<std::string>& terms, const search_weights& weights,
                               const lexical& words)
    : words_(words), function_weight_(weights.function_words), texts_(terms) {
  std::size_t function_words = 0;
  for (const auto& text : terms) {
    const asked_term asked{words.term(text), is_function_term(text, words.language())};
    function_words += asked.is_function_word ? 1 : 0;
    if (asked.term.value != no_number) terms_.push_back(asked);
  }
  whole_ = weight(terms.size() - function_words, function_words);
  std::ranges::sort(terms_, {}, &asked_term::term);
}

template <class Each>
void question_share::for_each_had(slot_no slot, Each each) const {
  const auto had = words_.terms(slot); // by their numbers, too
  auto asked = terms_.begin();
  for (auto at = had.begin(); at != had.end() && asked != terms_.end();) {
    if (at->term < asked->term.value) {
      at = std::lower_bound(at, had.end(), asked->term.value,
                            [](const term_count& t, std::uint32_t term) { return t.term < term; });
    } else if (asked->term.value < at->term) {
      asked = std::lower_bound(
          asked, terms_.end(), at->term,
          [](const asked_term& a, std::uint32_t term) { return a.term.value < term; });
    } else {
      each(*asked);
      ++at;
      ++asked;
    }
  }
}

bool question_share::has(slot_no slot, const std::string& term) const {
  const term_no number = words_.term(term);
  return number.value != no_number
         && std::ranges::binary_search(words_.terms(slot), number.value, {}, &term_count::term);
}

double question_share::of(slot_no slot, std::span<const std::string> also) const {
  if (whole_ == 0) return 0;
  std::size_t telling = 0;
  std::size_t function_words = 0;
  for_each_had(slot,
               [&](const asked_term& t) { ++(t.is_function_word ? function_words : telling); });
  if (!also.empty())
    for (const auto& term : texts_)
      if (std::ranges::find(also, term) != also.end() && !has(slot, term))
        ++(is_function_term(term, words_.language()) ? function_words : telling);
  return weight(telling, function_words) / whole_;
}

std::vector<std::uint32_t> question_share::telling(slot_no slot) const {
  std::vector<std::uint32_t> terms;
  for_each_had(slot, [&](const asked_term& t) {
    if (!t.is_function_word) terms.push_back(t.term.value);
  });
  return terms;
}

} // namespace mneme
