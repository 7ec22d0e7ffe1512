#include "query/search/name_groups.hpp"

#include <algorithm>

namespace mneme {

name_groups::name_groups(std::span<const alias_terms> names, std::span<const weighed_word> words,
                         const lexical& index) {
  const auto place_of = [&](const std::string& text) {
    const term_no term = index.term(text);
    return static_cast<std::size_t>(std::ranges::find(words, term, &weighed_word::term)
                                    - words.begin());
  };
  std::vector<bool> is_taken(words.size(), false);
  for (const auto& name : names) {
    std::vector<bool> is_own(words.size(), false);
    for (const auto& text : name.name)
      if (const auto at = place_of(text); at < words.size()) is_own[at] = true;
    std::vector<option> options;
    const auto add = [&](const std::vector<std::string>& terms) {
      option places;
      for (const auto& text : terms) {
        const std::size_t at = place_of(text);
        if (at < words.size() && !is_taken[at] && (is_own[at] || words[at].is_other))
          places.push_back(at);
      }
      std::ranges::sort(places);
      const auto again = std::ranges::unique(places);
      places.erase(again.begin(), again.end());
      options.push_back(std::move(places));
    };
    add(name.name);
    for (const auto& other : name.others) add(other);
    for (const auto& places : options)
      for (const std::size_t at : places) is_taken[at] = true;
    groups_.push_back(std::move(options));
  }
  for (std::size_t at = 0; at < words.size(); ++at)
    if (!is_taken[at]) alone_.push_back(at);
}

double name_groups::sum(std::span<const double> parts) const {
  const auto of = [&](const option& places) {
    double sum = 0;
    for (const std::size_t at : places) sum += parts[at];
    return sum;
  };
  double all = of(alone_);
  for (const auto& options : groups_) {
    double most = 0;
    for (const auto& places : options) most = std::max(most, of(places));
    all += most;
  }
  return all;
}

} // namespace mneme
