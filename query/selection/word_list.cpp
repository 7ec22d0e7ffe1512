#include "query/selection/word_list.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "index/lexical/text_terms.hpp"
#include "messages/ensure.hpp"
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

/// Whether the commas of the whole text are inside one number: "1,000.50", "12,50", "1.000,50".
/// Others set things apart.
bool is_with_commas(std::string_view number) {
  std::vector<std::string_view> groups; // between the marks
  std::string between;
  for (std::size_t at = 0; at <= number.size();) {
    const auto end = std::min(number.find_first_of(",.", at), number.size());
    groups.push_back(number.substr(at, end - at));
    if (end < number.size()) between.push_back(number[end]);
    at = end + 1;
  }
  const auto commas = std::ranges::count(between, ',');
  const auto last = groups.back().size();
  const auto are_thousands = [&](std::size_t count) {
    return groups.front().size() <= 3
           && std::ranges::all_of(groups.begin() + 1,
                                  groups.begin() + static_cast<std::ptrdiff_t>(count),
                                  [](std::string_view g) { return g.size() == 3; });
  };
  if (commas == 0) return false;
  if (between == ",") return last <= 3;                            // 12,50
  if (!between.contains('.')) return are_thousands(groups.size()); // 1,000,000
  if (commas == 1 && between.ends_with(','))                       // 1.000,50
    return are_thousands(groups.size() - 1);
  return between.find('.') + 1 == between.size() && are_thousands(groups.size() - 1); // 1,000.50
}

constexpr std::size_t longest_number = 64;

/// The digits around `at` and the points and commas between them; of what is longer than any number
/// nothing.
std::string_view number_around(std::string_view text, std::size_t at) {
  const auto is_of = [&](std::size_t i) {
    if (is_digit(text[i])) return true;
    return (text[i] == ',' || text[i] == '.') && i > 0 && is_digit(text[i - 1])
           && i + 1 < text.size() && is_digit(text[i + 1]);
  };
  std::size_t begin = at;
  std::size_t end = at;
  while (begin > 0 && at - begin <= longest_number && is_of(begin - 1)) --begin;
  while (end < text.size() && end - at <= longest_number && is_of(end)) ++end;
  if (at - begin > longest_number || end - at > longest_number) return {};
  return text.substr(begin, end - begin);
}

/// Whether the comma at `at` is inside a number, which stands by itself: not in "KX-12,13".
bool is_inside_number(std::string_view text, std::size_t at) {
  ensure(at < text.size() && text[at] == ',', "it is asked of a comma");
  const auto number = number_around(text, at);
  if (number.empty() || !is_with_commas(number)) return false;
  const auto begin = static_cast<std::size_t>(number.data() - text.data());
  const auto end = begin + number.size();
  const auto joins = [](char c) {
    return is_ascii_letter(c) || std::string_view("@_-/:#+\\").contains(c);
  };
  const bool is_signed = begin > 0 && (text[begin - 1] == '-' || text[begin - 1] == '+')
                         && (begin == 1 || is_space(text[begin - 2]));
  return (begin == 0 || is_signed || !joins(text[begin - 1]))
         && (end == text.size() || !joins(text[end]));
}
bool joins_digits(std::string_view word) {
  for (auto at = word.find(','); at != std::string_view::npos; at = word.find(',', at + 1))
    if (is_inside_number(word, at)) return true;
  return false;
}

/// "1).txt" is the end of "file (1).txt", and by itself nothing.
bool is_cut_off(std::string_view word) {
  const auto opening = word.find('(');
  const auto closing = word.find(')');
  return closing != std::string_view::npos
         && (opening == std::string_view::npos || opening > closing);
}

bool looks_identifying(std::string_view word) {
  if (is_cut_off(word) && !is_numeric(word)) return false;
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
  return is_joined || joins_digits(word) || (has_letter && is_letter(word.front()));
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
           return is_digit(c) || std::string_view("+-./(),").contains(c);
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

namespace {

/// Fewer digits that stand apart are several numbers, but for thousands.
constexpr std::size_t least_spaced_digits = 7;

struct number_form {
  std::string digits; ///< without leading zeros
  /// The points and commas that are of it, and how many digits are behind each.
  std::vector<std::pair<char, std::size_t>> marks;
};

/// Of digits and separators.
number_form number_of(std::string_view text) {
  ensure(digits_in(text) > 0, "a number has digits");
  number_form number;
  const auto comma = text.find(',');
  const bool are_thousands = comma <= 3 && comma < text.find('.') && !text.starts_with('0')
                             && is_with_commas(text)
                             && (text.contains('.') || text.rfind(',') + 4 == text.size());
  for (const char c : text) {
    if (is_digit(c)) number.digits.push_back(c);
    if (c == '.' || (c == ',' && !are_thousands))
      number.marks.emplace_back(c, number.digits.size());
  }
  for (auto& [mark, behind] : number.marks) behind = number.digits.size() - behind;
  number.digits = std::string(significant(number.digits));
  return number;
}

/// 1.10 is not 110; of a long number with several points they may be left out.
bool is_same_number(const number_form& a, const number_form& b) {
  if (a.digits != b.digits) return false;
  if (a.marks == b.marks) return true;
  const auto& marks = a.marks.empty() ? b.marks : a.marks;
  return (a.marks.empty() || b.marks.empty()) && marks.size() > 1
         && a.digits.size() >= least_spaced_digits
         && std::ranges::all_of(marks, [](const auto& m) { return m.first == '.'; });
}

/// What stands in a text between what can be of no identifier.
struct text_piece {
  std::size_t at;
  std::string_view word;
};

bool is_of_piece(std::string_view text, std::size_t at, bool is_address) {
  const char c = text[at];
  if (is_ascii_letter(c) || is_digit(c) || std::string_view("@._-/:#+\\").contains(c)) return true;
  if (is_address) return std::string_view("'=~%&$!").contains(c);
  return c == ',' && is_inside_number(text, at);
}
/// A letter that is not ASCII; of a sign nothing is left when it is folded.
bool is_letter_at(std::string_view text) {
  return static_cast<unsigned char>(text.front()) >= 0x80 && !folded_words(text).empty();
}

std::vector<text_piece> pieces_of(std::string_view text, bool is_address) {
  const std::string_view ends = is_address ? ".':/" : ".-/:#+\\@_";
  std::vector<text_piece> pieces;
  std::size_t begin = 0;
  const auto end_piece = [&](std::size_t end) {
    ensure(end >= begin && end <= text.size(), "a piece is of the text");
    auto word = text.substr(begin, end - begin);
    while (!word.empty() && ends.contains(word.back())) word.remove_suffix(1);
    if (is_address) word = without_possessive(word);
    while (!word.empty() && ends.contains(word.front())) word.remove_prefix(1);
    if (!word.empty())
      pieces.push_back({static_cast<std::size_t>(word.data() - text.data()), word});
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto bytes = first_point(text.substr(at)).bytes;
    const bool is_of = is_of_piece(text, at, is_address) || is_letter_at(text.substr(at, bytes));
    if (!is_of) end_piece(at), begin = at + bytes;
    at += bytes;
  }
  end_piece(text.size());
  return pieces;
}

/// "mailto:", "No.", "order#": behind it the identifier begins.
std::string_view behind_label(std::string_view word) {
  std::size_t end = 0;
  while (end < word.size() && is_letter(word[end])) ++end;
  if (end == 0 || end + 1 >= word.size()) return {};
  const bool is_label =
      std::string_view(":#=").contains(word[end]) || (word[end] == '.' && is_digit(word[end + 1]));
  return is_label ? word.substr(end + 1) : std::string_view();
}

/// "v1.2.3" is 1.2.3.
std::string_view without_v(std::string_view word) {
  const bool is_version = word.size() > 1 && (word.front() == 'v' || word.front() == 'V')
                          && is_numeric(word.substr(1)) && word.contains('.');
  return is_version ? word.substr(1) : word;
}

bool is_number_piece(std::string_view word) {
  return digits_in(word) > 0 && std::ranges::all_of(word, [](char c) {
           return is_digit(c) || std::string_view("+-./,:_#\\").contains(c);
         });
}

/// Of a code: its letters and digits, as the index has them.
std::string code_of(std::string_view word) {
  auto terms = text_terms(word, no_language);
  return terms.empty() ? std::string() : std::move(terms.back());
}

std::string as_compared(std::string_view text) {
  std::string lower = lower_case(composed(std::string(text)));
  for (auto at = lower.find("’"); at != std::string::npos; at = lower.find("’", at))
    lower.replace(at, std::string_view("’").size(), "'");
  return lower;
}

bool has_piece(std::string_view text, bool is_address, const auto& is_it) {
  return std::ranges::any_of(pieces_of(text, is_address), [&](const text_piece& piece) {
    const auto rest = behind_label(piece.word);
    return is_it(piece.word) || (!rest.empty() && is_it(rest));
  });
}

/// The number from the piece `first` on, if it is written in several.
bool is_spaced_number(std::string_view text, std::span<const text_piece> pieces,
                      const number_form& wanted) {
  constexpr std::size_t most_zeros = 4; // before it
  std::string digits;
  bool are_thousands = wanted.digits.size() >= 4;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto word = pieces[i].word;
    if (!is_number_piece(word) || !number_of(word).marks.empty()) return false;
    if (i > 0) {
      const auto end = pieces[i - 1].at + pieces[i - 1].word.size();
      const auto gap = text.substr(end, pieces[i].at - end);
      if (gap.find_first_not_of(" \t()-/+") != std::string_view::npos) return false;
    }
    are_thousands = are_thousands && (i == 0 ? word.size() <= 3 : word.size() == 3);
    for (const char c : word)
      if (is_digit(c)) digits.push_back(c);
    if (significant(digits) == wanted.digits)
      return i > 0 && (are_thousands || wanted.digits.size() >= least_spaced_digits);
    if (digits.size() > wanted.digits.size() + most_zeros) return false;
  }
  return false;
}

bool has_number(std::string_view text, const number_form& wanted) {
  const auto is_it = [&](std::string_view word) {
    const auto number = without_v(word);
    return is_number_piece(number) && is_same_number(number_of(number), wanted);
  };
  if (has_piece(text, false, is_it)) return true;
  if (!wanted.marks.empty()) return false;
  const auto pieces = pieces_of(text, false);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (is_spaced_number(text, std::span(pieces).subspan(i), wanted)) return true;
  return false;
}

/// The first and the last group of digits that a number may be written in.
std::vector<std::vector<std::string>> groups_of(std::string_view digits) {
  constexpr std::size_t most_first = 6;
  constexpr std::size_t least_last = 2;
  constexpr std::size_t most_last = 7;
  std::vector<std::vector<std::string>> all;
  const auto add = [&](std::size_t first, std::size_t last) {
    all.push_back(
        {std::string(digits.substr(0, first)), std::string(digits.substr(digits.size() - last))});
  };
  if (digits.size() < least_spaced_digits) {
    if (digits.size() > 3) add(digits.size() - 3, 3);
    return all;
  }
  for (std::size_t first = 1; first <= most_first; ++first)
    for (std::size_t last = least_last; last <= most_last && first + last <= digits.size(); ++last)
      add(first, last);
  return all;
}

} // namespace

asked_phrase spaced_number(std::string_view words) {
  asked_phrase phrase{.shown = std::string(words), .terms = {}, .kind = identifier_kind::number};
  auto runs = digit_runs(words);
  ensure(!runs.empty(), "a number has digits");
  const number_form number = number_of(without_v(words));
  std::string digits;
  for (const auto& run : runs) digits += run;
  const bool may_lack_marks = number.marks.size() > 1 && digits.size() >= least_spaced_digits;
  if (number.marks.empty() || may_lack_marks) {
    phrase.terms = {number.digits};
    phrase.forms = groups_of(digits);
    if (runs.size() > 1) phrase.runs = std::move(runs);
    return phrase;
  }
  phrase.terms = runs; // however they are joined
  runs.front().insert(0, "v");
  phrase.forms = {std::move(runs)};
  return phrase;
}

bool has_identifier(std::string_view text, const asked_phrase& phrase) {
  const std::string compared = as_compared(text);
  const std::string wanted = as_compared(phrase.shown);
  switch (phrase.kind) {
  case identifier_kind::number:
    return has_number(compared, number_of(without_v(wanted)));
  case identifier_kind::address:
    return has_piece(compared, true, [&](std::string_view word) { return word == wanted; });
  case identifier_kind::code: {
    const std::string code = code_of(wanted);
    return has_piece(compared, false, [&](std::string_view word) { return code_of(word) == code; });
  }
  case identifier_kind::none:
    break;
  }
  ensure(false, "what is looked for as a whole has a kind");
  return false;
}

namespace {

/// Bytes of the first of a list without spaces, with its comma: "KX-12,KX-13".
std::size_t first_of_list(std::string_view word) {
  constexpr std::size_t longest_list = 16 * 1024; // each of it looks for the end of all
  const auto identifies = [](std::string_view part) {
    const auto bare = without_marks(part);
    return !bare.empty() && (looks_identifying(bare) || is_numeric(bare));
  };
  auto at = word.find_first_of(",;");
  while (at != std::string_view::npos && word[at] == ',' && is_inside_number(word, at))
    at = word.find_first_of(",;", at + 1);
  if (at == std::string_view::npos || word.size() > longest_list) return word.size();
  const auto next = word.substr(at + 1, word.find_first_of(",;", at + 1) - at - 1);
  return identifies(word.substr(0, at)) && identifies(next) ? at + 1 : word.size();
}

} // namespace

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
    if (quoted.empty()) end = at + first_of_list(text.substr(at, end - at));
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

namespace {

/// What is left of an identifier without its label and the signs around it: "$12.50".
std::string_view core_of(std::string_view word, bool is_address) {
  const auto pieces = pieces_of(word, is_address);
  if (pieces.size() != 1) return word;
  const auto rest = is_address ? behind_label(pieces.front().word) : std::string_view();
  return rest.empty() ? pieces.front().word : rest;
}

asked_phrase address_of(std::string_view word, std::string_view language) {
  asked_phrase phrase{
      .shown = std::string(core_of(word, true)), .terms = {}, .kind = identifier_kind::address};
  auto terms = text_terms(phrase.shown, language);
  if (terms.empty() || !terms.back().contains('@')) { // "@ana" is no term
    phrase.terms = std::move(terms);
    return phrase;
  }
  phrase.terms = {terms.back()};
  terms.pop_back();
  phrase.forms = {std::move(terms)}; // "mailto:ana@example.org" is another term
  return phrase;
}

} // namespace

std::optional<asked_phrase> identifier_of(const asked_word& word, std::string_view language) {
  if (!word.quoted && !word.is_identifier) return std::nullopt;
  asked_phrase phrase{.shown = word.bare, .terms = text_terms(word.bare, language)};
  if (phrase.terms.empty()) return std::nullopt;
  if (word.quoted) {
    phrase.in_order = true;
    return phrase;
  }
  const std::string_view bare = word.bare;
  const bool is_term = std::ranges::any_of(bare, is_digit) || bare.contains('@');
  const bool is_path = has_parts_of_its_own(bare) && bare.find_first_of("/\\") != bare.npos;
  const auto core = core_of(bare, false);
  if (is_numeric(core) || is_numeric(without_v(core))) {
    phrase = spaced_number(core);
  } else if (!is_term || is_path) {
    if (is_term) phrase.terms = {phrase.terms.back()}; // the whole is the last of its terms
    phrase.token = word.lower;
  } else if (bare.contains('@')) {
    phrase = address_of(bare, language);
  } else if (pieces_of(bare, false).size() > 1) {
    phrase.in_order = true;
  } else {
    phrase.kind = identifier_kind::code;
    std::string whole = phrase.terms.back();
    phrase.terms.pop_back();
    if (!phrase.terms.empty()) phrase.forms = {std::move(phrase.terms)};
    phrase.terms = {std::move(whole)};
  }
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
