#include "query/search/asked_speakers.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "index/lexical/text_terms.hpp"
#include "query/asked_words.hpp"

namespace mneme {

namespace {

bool is_role(std::string_view name) {
  static constexpr std::array<std::string_view, 6> roles = {"user", "assistant", "system",
                                                            "tool", "human",     "ai"};
  return std::ranges::find(roles, name) != roles.end();
}

bool is_first_person(std::string_view word) {
  static constexpr std::array<std::string_view, 4> words = {"i", "me", "my", "mine"};
  return std::ranges::find(words, word) != words.end();
}

std::vector<std::string> words_of_question(std::string_view question) {
  auto words = folded_words(question);
  if (words.size() > most_asked_words) words.resize(most_asked_words);
  return words;
}

} // namespace

asked_speakers::asked_speakers(std::string_view question, const attributes& rows) {
  const auto words = words_of_question(question);
  const std::span<const std::string> all = words;
  constexpr std::size_t most_words = 3;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_role(all[i])) add(all.subspan(i, 1), rows);
    for (std::size_t n = 2; n <= most_words && i + n <= all.size(); ++n)
      add(all.subspan(i, n), rows);
  }
  if (std::ranges::any_of(words, is_first_person)) {
    const std::string user = "user";
    add(std::span(&user, 1), rows);
  }
  settle();
}

asked_speakers asked_speakers::of_roles(std::string_view question, const attributes& rows) {
  asked_speakers found;
  const auto words = words_of_question(question);
  for (const auto& word : words)
    if (is_role(word)) found.add(std::span(&word, 1), rows);
  found.settle();
  return found;
}

void asked_speakers::add(std::span<const std::string> name, const attributes& rows) {
  for (const term_no tag : rows.speaker_tags(name)) {
    tags_.push_back(tag);
    named_.push_back({tag, {name.begin(), name.end()}});
  }
}

bool asked_speakers::names_any() const {
  return std::ranges::any_of(
      named_, [](const named& n) { return n.words.size() != 1 || !is_role(n.words.front()); });
}

void asked_speakers::settle() {
  std::ranges::sort(tags_);
  const auto again = std::ranges::unique(tags_);
  tags_.erase(again.begin(), again.end());
}

bool asked_speakers::said(row_no row, const attributes& rows) const {
  return std::ranges::any_of(tags_, [&](term_no tag) { return rows.has_tag(row, tag); });
}

} // namespace mneme
