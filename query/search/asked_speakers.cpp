#include "query/search/asked_speakers.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "messages/text/composed.hpp"
#include "messages/text/lower_case.hpp"
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

} // namespace

asked_speakers::asked_speakers(std::string_view question, const attributes& rows) {
  const auto words = asked_words(lower_case(composed(std::string(question))));
  const auto add = [&](const std::string& name) {
    const term_no tag = rows.tag_term("speaker:" + name);
    if (tag.value != no_number) tags_.push_back(tag);
  };
  for (std::size_t i = 0; i < std::min(words.size(), most_asked_words); ++i) {
    if (!is_role(words[i])) add(words[i]);
    if (i == 0) continue;
    for (const char* between : {" ", "-", "'"}) add(words[i - 1] + between + words[i]);
    if (i > 1) add(words[i - 2] + " " + words[i - 1] + " " + words[i]);
  }
  if (std::ranges::any_of(words, is_first_person)) add("user");
  std::ranges::sort(tags_);
  const auto again = std::ranges::unique(tags_);
  tags_.erase(again.begin(), again.end());
}

bool asked_speakers::said(row_no row, const attributes& rows) const {
  return std::ranges::any_of(tags_, [&](term_no tag) { return rows.has_tag(row, tag); });
}

} // namespace mneme
