#include "tools/command/word_marks.hpp"

#include <algorithm>

#include "index/lexical/function_terms.hpp"
#include "messages/text/lower_case.hpp"
#include "messages/text/utf8_point.hpp"

namespace mneme::command {

namespace {

/// Shorter ones are in nearly every text.
constexpr std::size_t least_word_bytes = 3;
constexpr std::size_t most_ending_bytes = 3;
/// A match that stands further back is brought to the front.
constexpr std::size_t shown_before = 40;

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
         || static_cast<unsigned char>(c) >= 0x80;
}

/// Is it more than a function word, which is in every text?
bool tells(std::string_view word) {
  return !std::ranges::all_of(text_terms(word),
                              [](const std::string& term) { return is_function_term(term); });
}

/// Calls `visit(begin, size, is_word)` for the runs of bytes of one kind, until it answers false.
template <class Visit>
void each_run(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const bool is_word = is_word_byte(text[at]);
    std::size_t end = at + 1;
    while (end < text.size() && is_word_byte(text[end]) == is_word) ++end;
    if (!visit(at, end - at, is_word)) return;
    at = end;
  }
}

} // namespace

word_marks::word_marks(std::string_view question) {
  const std::string lower = lower_case(question);
  each_run(lower, [&](std::size_t at, std::size_t size, bool is_word) {
    if (is_word && size >= least_word_bytes && tells(lower.substr(at, size)))
      words_.push_back(lower.substr(at, size));
    return true;
  });
}

bool word_marks::matches(std::string_view word) const {
  if (word.size() < least_word_bytes) return false;
  const std::string lower = lower_case(word);
  return std::ranges::any_of(words_, [&](const std::string& asked) {
    const auto [a, b] = std::ranges::mismatch(asked, lower);
    const auto same = static_cast<std::size_t>(a - asked.begin());
    const std::size_t left = std::max(asked.size(), lower.size()) - same;
    return left == 0 || (same > most_ending_bytes && left <= most_ending_bytes);
  });
}

std::string word_marks::excerpt(std::string_view text) const {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!is_space)
      line.push_back(c);
    else if (!line.empty() && line.back() != ' ')
      line.push_back(' ');
  }
  std::size_t first = 0;
  each_run(line, [&](std::size_t at, std::size_t size, bool is_word) {
    const bool is_match = is_word && matches(std::string_view(line).substr(at, size));
    if (is_match) first = at;
    return !is_match;
  });
  if (first <= shown_before) return line;
  const std::size_t from = line.find(' ', point_start(line, first - shown_before));
  if (from == std::string::npos || from >= first) return line;
  return "…" + line.substr(from + 1);
}

std::string word_marks::in_bold(std::string_view text) const {
  std::string out;
  each_run(text, [&](std::size_t at, std::size_t size, bool is_word) {
    const std::string_view run = text.substr(at, size);
    if (is_word && matches(run))
      out.append("\033[1m").append(run).append("\033[0m");
    else
      out.append(run);
    return true;
  });
  return out;
}

} // namespace mneme::command
