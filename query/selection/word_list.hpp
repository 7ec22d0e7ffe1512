#pragma once
/// The words of a request as they stand in it, which of them are identifiers, and whether a text
/// has them.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/selection/asked_phrase.hpp"

namespace mneme {

/// A word between spaces, without the marks around it; or a text in quotes.
struct asked_word {
  std::string bare;  ///< without marks, and without the 's of a possessive
  std::string lower; ///< the same in lower case
  std::size_t at = 0;
  std::size_t bytes = 0; ///< with marks
  bool quoted = false;
  bool is_capital = false;
  bool is_possessive = false; ///< an 's was taken off
  bool is_identifier = false;
  bool starts_sentence = false;
  bool ends_part = false; ///< a mark is behind it
  bool ends_list = false; ///< a comma or semicolon is
};

/// The first of them: rules look at no more than `most_asked_words`.
std::vector<asked_word> words_of(std::string_view text);

bool is_in(std::span<const std::string_view> list, std::string_view word);

/// "not", "never", "isn't": of a word in lower case. English alone.
bool is_denial(std::string_view lower);
/// Nothing but digits and what separates them, with a digit.
bool is_numeric(std::string_view word);
std::size_t digits_in(std::string_view word);
/// A number whose parts stand apart.
asked_phrase spaced_number(std::string_view words);

/// An address, a code, a number of four digits and more, a path; or a quoted text. Years are none.
std::optional<asked_phrase> identifier_of(const asked_word& word, std::string_view language);
/// Whether `text` has the token between spaces and marks, whatever the case.
bool has_token(std::string_view text, std::string_view token);
/// The words among which a name is looked for: those of the text, folded, without the 's
/// of "Valentine's Day", and but for what is in addresses and paths ("ana.maria@example.org" is not
/// Ana).
std::vector<std::string> named_words(std::string_view text);
/// Whether the folded word stands in `text` with a capital letter, and asks nothing ("Will you …").
bool stands_as_name(std::string_view text, std::string_view word);
/// Whether the terms stand in `text` one behind the other.
bool follow_each_other(const std::vector<std::string>& terms, const std::vector<std::string>& text);
/// Whether `second` stands in `text` behind `first`, with one word of at most three letters between
/// them or none: "Marks & Spencer", "Paris in Texas".
bool stand_together(const std::vector<std::string>& first, const std::vector<std::string>& second,
                    const std::vector<std::string>& text);
/// Whether the identifier stands in `text` as a whole, and is no part of a longer one.
/// Precondition: it has a kind.
bool has_identifier(std::string_view text, const asked_phrase& phrase);

} // namespace mneme
