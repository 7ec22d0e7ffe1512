#pragma once
/// A name, an identifier or a quoted text that a memory must have, as words ask for it.

#include <cstdint>
#include <string>
#include <vector>

namespace mneme {

/// How an identifier is told from what is like it in a text.
enum class identifier_kind : std::uint8_t {
  none,    ///< no identifier, or one that `token` or the order of its terms tells
  number,  ///< digits, however they are set apart; a point or comma inside is of it
  address, ///< "ana@example.org", "@ana": every character counts
  code,    ///< letters and digits, whatever joins them
};

/// A text that a memory must have as it is asked for.
struct asked_phrase {
  std::string shown;              ///< as it was asked for
  std::vector<std::string> terms; ///< that a memory with it has; of an identifier the whole alone
  /// The terms must follow each other.
  bool in_order = false;
  /// Of a name: as it is written, folded; a memory must have these behind each other.
  std::vector<std::string> words{};
  /// It is a word of the language, too ("Will"): a memory must have it with a capital letter.
  bool is_word = false;
  /// In lower case, it must stand between spaces or marks: an identifier that is no term, or a name
  /// of one letter.
  std::string token{};
  /// Of a number with separators or spaces: its runs of digits. A memory that has them all may have
  /// the phrase.
  std::vector<std::string> runs{};
  /// Terms of other spellings, each with all of a memory that may have the phrase; no more than
  /// there is room for.
  std::vector<std::vector<std::string>> forms{};
  /// What has the terms of an identifier must have it as a whole: see has_identifier().
  identifier_kind kind = identifier_kind::none;
};

} // namespace mneme
