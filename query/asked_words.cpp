#include "query/asked_words.hpp"

#include <algorithm>
#include <array>

#include "messages/text/lower_case.hpp"
#include "messages/text/utf8_point.hpp"

namespace mneme {

namespace {

/// Latin punctuation, General Punctuation, CJK punctuation, full-width forms of ASCII's.
bool is_separator(std::int32_t c) {
  return (c >= 0x80 && c <= 0xBF) || (c >= 0x2000 && c <= 0x206F) || (c >= 0x3000 && c <= 0x303F)
         || (c >= 0xFF01 && c <= 0xFF0F);
}

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Of a word, the code point that the text begins with.
bool is_word_point(std::string_view text) {
  if (text.empty()) return false;
  if (static_cast<unsigned char>(text.front()) < 0x80) return is_word_byte(text.front());
  return !is_separator(first_point(text).value);
}

/// The bytes of what an apostrophe joins to a word, where the text begins with that; else 0.
std::size_t contraction_size(std::string_view text) {
  static constexpr std::array<std::string_view, 7> endings = {"s", "t", "d", "m", "ll", "ve", "re"};
  const utf8_point first = first_point(text);
  constexpr std::int32_t right_quote = 0x2019;
  if (first.value != '\'' && first.value != right_quote) return 0;
  const std::string_view behind = text.substr(first.bytes);
  for (const auto ending : endings) {
    const bool is_it = behind.size() >= ending.size()
                       && std::ranges::equal(behind.substr(0, ending.size()), ending, {}, lowered)
                       && !is_word_point(behind.substr(ending.size()));
    if (is_it) return first.bytes + ending.size();
  }
  return 0;
}

} // namespace

std::vector<std::string> asked_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  while (!text.empty()) {
    const utf8_point p = first_point(text);
    const bool is_part = is_word_point(text);
    if (is_part && !inside) words.emplace_back();
    if (is_part)
      for (const char c : text.substr(0, p.bytes)) words.back().push_back(lowered(c));
    inside = is_part;
    text.remove_prefix(p.bytes);
  }
  return words;
}

bool begins_large(std::string_view word) {
  if (word.empty()) return false;
  const auto first = word.substr(0, first_point(word).bytes);
  return lower_case(first) != first;
}

std::string without_contractions(std::string_view question) {
  std::string kept;
  bool is_behind_word = false;
  while (!question.empty()) {
    const std::size_t left_out = is_behind_word ? contraction_size(question) : 0;
    const std::size_t taken = left_out > 0 ? left_out : first_point(question).bytes;
    is_behind_word = left_out == 0 && is_word_point(question);
    if (left_out == 0) kept += question.substr(0, taken);
    question.remove_prefix(taken);
  }
  return kept;
}

} // namespace mneme
