#include "query/search/asked_speakers.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/ensure.hpp"
#include "query/asked_words.hpp"

namespace mneme {

namespace {

bool is_role(std::string_view name) {
  static constexpr std::array<std::string_view, 6> roles = {"user", "assistant", "system",
                                                            "tool", "human",     "ai"};
  return std::ranges::find(roles, name) != roles.end();
}

bool is_oneself(std::string_view word) {
  static constexpr std::array<std::string_view, 4> words = {"i", "me", "my", "mine"};
  return std::ranges::find(words, word) != words.end();
}

/// A piece between spaces, behind the marks that it begins with.
std::string_view behind_marks(std::string_view piece) {
  const auto is_mark = [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return static_cast<unsigned char>(c) < 0x80 && !is_letter && !(c >= '0' && c <= '9');
  };
  while (!piece.empty() && is_mark(piece.front())) piece.remove_prefix(1);
  return piece;
}

/// The words of a question that begin with a capital letter, folded.
std::vector<std::string> capital_words(std::string_view question) {
  constexpr std::string_view spaces = " \t\r\n";
  std::vector<std::string> capital;
  while (capital.size() < most_asked_words) {
    const auto begin = question.find_first_not_of(spaces);
    if (begin == std::string_view::npos) break;
    question.remove_prefix(begin);
    const std::string_view piece = question.substr(0, question.find_first_of(spaces));
    question.remove_prefix(piece.size());
    if (!begins_large(behind_marks(piece))) continue;
    for (auto& word : folded_words(piece)) capital.push_back(std::move(word));
  }
  return capital;
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
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_role(all[i])) add(all.subspan(i, 1), rows);
    for (std::size_t n = 2; n <= most_name_words && i + n <= all.size(); ++n)
      add(all.subspan(i, n), rows);
  }
  add_by_part(question, rows);
  if (std::ranges::any_of(words, is_oneself)) {
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

void asked_speakers::add_by_part(std::string_view question, const attributes& rows) {
  std::vector<std::string> whole; // of names that are there
  for (const auto& name : named_) whole.insert(whole.end(), name.words.begin(), name.words.end());
  for (auto& word : capital_words(question)) {
    const bool is_named = std::ranges::find(whole, word) != whole.end();
    if (is_named || is_role(word) || is_function_term(word)) continue;
    for (const term_no tag : rows.speaker_tags_with(word)) {
      tags_.push_back(tag);
      named_.push_back({tag, {word}});
    }
    whole.push_back(std::move(word));
  }
  ensure(tags_.size() == named_.size(), "each tag is of a name in the question");
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
