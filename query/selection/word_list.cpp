#include "query/selection/word_list.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "index/lexical/text_terms.hpp"
#include "messages/text/composed.hpp"
#include "messages/text/lower_case.hpp"
#include "messages/text/utf8_point.hpp"
#include "query/asked_words.hpp"

namespace mneme {

namespace {

constexpr std::array<std::string_view, 35> marks = {
    ".", ",", ";", ":", "!", "?", "\"", "'", "(", ")", "[", "]", "{", "}", "<", ">",  "*", "`",
    "“", "”", "‘", "’", "«", "»", "…",  "—", "–", "¿", "¡", "„", "‚", "‹", "›", "。", "、"};

struct quote_pair {
  std::string_view open;
  std::string_view close;
};
constexpr std::array<quote_pair, 6> quotes = {
    {{"\"", "\""}, {"“", "”"}, {"«", "»"}, {"„", "“"}, {"'", "'"}, {"‘", "’"}}};

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) { // or part of one that is not ASCII
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The mark that the text begins with, or ends with; empty = none.
std::string_view mark_before(std::string_view text) {
  const auto* found = std::ranges::find_if(marks, [&](auto m) { return text.starts_with(m); });
  return found == marks.end() ? std::string_view() : *found;
}
std::string_view mark_behind(std::string_view text) {
  const auto* found = std::ranges::find_if(marks, [&](auto m) { return text.ends_with(m); });
  return found == marks.end() ? std::string_view() : *found;
}

std::string_view without_marks(std::string_view word) {
  bool is_dotted = false; // ".NET" begins with its point, "...and" does not
  while (true) {
    const auto mark = mark_before(word);
    if (mark.empty()) break;
    const bool is_point = mark == ".";
    if (is_point && !is_dotted && word.size() > 1 && is_ascii_letter(word[1])) break;
    is_dotted = is_point;
    word.remove_prefix(mark.size());
  }
  while (true) {
    const auto mark = mark_behind(word);
    if (mark.empty()) break;
    word.remove_suffix(mark.size());
  }
  return word;
}

std::string_view without_possessive(std::string_view word) {
  for (const std::string_view ending : {"'s", "’s"})
    if (word.size() > ending.size() && word.ends_with(ending))
      return word.substr(0, word.size() - ending.size());
  return word;
}

bool begins_large(std::string_view word) {
  if (word.empty()) return false;
  const auto first = word.substr(0, first_point(word).bytes);
  return lower_case(first) != first;
}

/// Up to the end of the quotation that `rest` begins with; empty if it begins with none.
std::string_view quotation(std::string_view rest) {
  constexpr std::size_t longest = 1000;
  rest = rest.substr(0, longest);
  for (const auto& [open, close] : quotes) {
    if (!rest.starts_with(open)) continue;
    for (auto end = rest.find(close, open.size()); end != std::string_view::npos;
         end = rest.find(close, end + 1)) {
      // An apostrophe ends nothing in the middle of a word.
      const auto behind = rest.substr(end + close.size());
      if (!behind.empty() && !is_space(behind.front()) && mark_before(behind).empty()) continue;
      if (end == open.size()) return {};
      return rest.substr(0, end + close.size());
    }
  }
  return {};
}

bool is_year(std::string_view word) {
  return word.size() == 4 && std::ranges::all_of(word, is_digit)
         && (word.starts_with("19") || word.starts_with("20"));
}

/// Do at least two letters or digits stand on both sides of a point, as in names of files and
/// hosts?
bool has_inner_point(std::string_view word) {
  const auto is_part = [](char c) { return is_letter(c) || is_digit(c); };
  for (std::size_t i = 2; i + 2 < word.size(); ++i)
    if (word[i] == '.' && is_part(word[i - 1]) && is_part(word[i - 2]) && is_part(word[i + 1])
        && is_part(word[i + 2]))
      return true;
  return false;
}

bool is_path(std::string_view word) {
  const auto slashes = std::ranges::count_if(word, [](char c) { return c == '/' || c == '\\'; });
  return slashes > 1 || (slashes == 1 && (word.front() == '/' || has_inner_point(word)));
}

/// "C++", "F#", ".NET": without their signs they would be other words.
bool has_sign(std::string_view word) {
  if (word.size() > 1 && word.front() == '.') return is_ascii_letter(word[1]);
  const auto signs = word.find_first_of("+#");
  return signs != std::string_view::npos && signs > 0
         && word.find_first_not_of("+#", signs) == std::string_view::npos
         && std::ranges::all_of(word.substr(0, signs), is_ascii_letter);
}

/// An address, or a path for sure: not "he/she".
bool has_parts_of_its_own(std::string_view word) {
  const auto at = word.find('@');
  if (at != std::string_view::npos && at > 0 && at + 1 < word.size()) return true;
  if (word.empty() || word.find_first_of("/\\") == std::string_view::npos) return false;
  return word.front() == '/' || word.front() == '~' || word.contains('\\') || word.contains("://")
         || has_inner_point(word);
}

bool looks_identifying(std::string_view word) {
  const auto digits = std::ranges::count_if(word, is_digit);
  const bool has_letter = std::ranges::any_of(word, is_letter);
  const auto at = word.find('@');
  if (at != std::string_view::npos && at + 1 < word.size()) return true;
  if (is_path(word) || word.contains('_') || has_inner_point(word) || has_sign(word)) return true;
  if (digits == 0 || is_year(word)) return false;
  if (digits >= 4) return true;
  const auto inner = word.find_first_of("-/.:#");
  const bool is_joined = inner != std::string_view::npos && inner > 0 && inner + 1 < word.size();
  // "4th" and "20s" are words, "A4" and "KX-12" are codes.
  return is_joined || (has_letter && is_letter(word.front()));
}

} // namespace

bool is_denial(std::string_view lower) {
  static constexpr auto words = std::to_array<std::string_view>(
      {"not", "never", "no", "nor", "cannot", "without", "dont", "neither", "nothing"});
  return is_in(words, lower) || lower.ends_with("n't") || lower.ends_with("n’t");
}

bool is_in(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool is_numeric(std::string_view word) {
  return digits_in(word) > 0 && std::ranges::all_of(word, [](char c) {
           return is_digit(c) || std::string_view("+-./()").contains(c);
         });
}

std::size_t digits_in(std::string_view word) {
  return static_cast<std::size_t>(std::ranges::count_if(word, is_digit));
}

namespace {

std::vector<std::string> digit_runs(std::string_view text) {
  std::vector<std::string> runs;
  bool inside = false;
  for (const char c : text) {
    if (is_digit(c) && !inside) runs.emplace_back();
    if (is_digit(c)) runs.back().push_back(c);
    inside = is_digit(c);
  }
  return runs;
}

/// Without leading zeros, as terms of numbers are.
std::string_view significant(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
}

} // namespace

asked_phrase spaced_number(std::string_view words) {
  asked_phrase phrase{.shown = std::string(words), .terms = {}, .runs = digit_runs(words)};
  std::string digits;
  for (const auto& run : phrase.runs) digits += run;
  phrase.terms = {std::string(significant(digits))};
  return phrase;
}

bool has_number(std::string_view text, const std::vector<std::string>& runs) {
  std::string wanted;
  for (const auto& run : runs) wanted += run;
  // From each run of digits on: all that stands behind it but separators is put together.
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (!is_digit(text[begin]) || (begin > 0 && is_digit(text[begin - 1]))) continue;
    std::string digits;
    for (std::size_t at = begin; at < text.size(); ++at) {
      if (is_digit(text[at]))
        digits.push_back(text[at]);
      else if (!is_space(text[at]) && !std::string_view("+-./()").contains(text[at]))
        break;
      const bool ends = at + 1 == text.size() || !is_digit(text[at + 1]);
      if (ends && is_digit(text[at]) && significant(digits) == significant(wanted)) return true;
      if (digits.size() > wanted.size() + runs.size()) break;
    }
  }
  return false;
}

std::vector<asked_word> words_of(std::string_view text) {
  std::vector<asked_word> list;
  bool starts = true;
  for (std::size_t at = 0; at < text.size() && list.size() < most_asked_words;) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    asked_word w;
    w.at = at;
    w.starts_sentence = starts;
    const auto quoted = quotation(text.substr(at));
    auto end = at + quoted.size();
    while (end < text.size() && !is_space(text[end])) ++end;
    const auto raw = text.substr(at, end - at);
    w.bytes = raw.size();
    w.quoted = !quoted.empty();
    const auto bare = without_marks(w.quoted ? quoted : raw);
    w.ends_list = raw.ends_with(',') || raw.ends_with(';');
    starts = raw.ends_with('.') || raw.ends_with('!') || raw.ends_with('?');
    w.ends_part = !raw.ends_with(bare);
    w.bare = std::string(w.quoted ? bare : without_possessive(bare));
    w.is_possessive = !w.quoted && w.bare.size() < bare.size();
    w.lower = lower_case(composed(w.bare));
    w.is_capital = begins_large(w.bare);
    w.is_identifier = !w.quoted && looks_identifying(w.bare);
    at = end;
    if (!w.bare.empty()) {
      list.push_back(std::move(w));
    } else if (w.ends_list && !list.empty()) { // "Globex , Initech"
      list.back().ends_part = list.back().ends_list = true;
    }
  }
  return list;
}

std::optional<asked_phrase> identifier_of(const asked_word& word, std::string_view language) {
  if (!word.quoted && !word.is_identifier) return std::nullopt;
  asked_phrase phrase{.shown = word.bare, .terms = text_terms(word.bare, language)};
  if (phrase.terms.empty()) return std::nullopt;
  if (word.quoted) {
    phrase.in_order = true;
    return phrase;
  }
  const bool is_term = std::ranges::any_of(word.bare, is_digit) || word.bare.contains('@');
  // The whole is the last of its terms; what has neither is none, and is looked for as it stands.
  if (is_numeric(word.bare) && digit_runs(word.bare).size() > 1) return spaced_number(word.bare);
  if (is_term)
    phrase.terms = {phrase.terms.back()};
  else
    phrase.token = word.lower;
  return phrase;
}

bool has_token(std::string_view text, std::string_view token) {
  const std::string lower = lower_case(composed(std::string(text)));
  std::string_view rest = lower;
  while (!rest.empty()) {
    const auto space = std::ranges::find_if(rest, is_space) - rest.begin();
    const auto word = rest.substr(0, static_cast<std::size_t>(space));
    if (without_possessive(without_marks(word)) == token) return true;
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return false;
}

std::vector<std::string> named_words(std::string_view text) {
  std::string rest;
  for (std::size_t at = 0; at < text.size();) {
    const auto* const from = text.data() + at;
    const auto bytes =
        static_cast<std::size_t>(std::find_if(from, text.data() + text.size(), is_space) - from);
    const auto word = text.substr(at, bytes);
    const auto bare = without_marks(word);
    if (!has_parts_of_its_own(bare)) rest += without_possessive(bare);
    rest.push_back(' ');
    at += bytes + 1;
  }
  return folded_words(rest);
}

bool stands_as_name(std::string_view text, std::string_view word) {
  // "Will you …", "May I …" ask.
  static constexpr auto asked_behind = std::to_array<std::string_view>(
      {"i",    "you",  "he",    "she",   "it", "we",   "they", "there", "the", "a",    "an",
       "this", "that", "these", "those", "my", "your", "his",  "her",   "our", "their"});
  const auto list = words_of(text);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool asks =
        list[i].starts_sentence && i + 1 < list.size() && is_in(asked_behind, list[i + 1].lower);
    const std::vector<std::string> sought = {std::string(word)};
    if (list[i].is_capital && !asks && folded_words(list[i].bare) == sought) return true;
  }
  return false;
}

bool follow_each_other(const std::vector<std::string>& terms,
                       const std::vector<std::string>& text) {
  return !std::ranges::search(text, terms).empty();
}

bool stand_together(const std::vector<std::string>& first, const std::vector<std::string>& second,
                    const std::vector<std::string>& text) {
  constexpr std::ptrdiff_t most_letters = 3;
  const auto is_short = [](const std::string& word) {
    return std::ranges::count_if(word, [](char c) { return (c & 0xC0) != 0x80; }) <= most_letters;
  };
  if (first.empty() || second.empty()) return false;
  for (std::span<const std::string> rest = text; rest.size() >= first.size() + second.size();
       rest = rest.subspan(1)) {
    if (!std::ranges::equal(rest.first(first.size()), first)) continue;
    const auto behind = rest.subspan(first.size());
    const auto begins = [&](std::span<const std::string> from) {
      return from.size() >= second.size() && std::ranges::equal(from.first(second.size()), second);
    };
    if (begins(behind) || (is_short(behind.front()) && begins(behind.subspan(1)))) return true;
  }
  return false;
}

} // namespace mneme
