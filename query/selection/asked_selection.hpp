#pragma once
/// What words ask to forget: the verbs and quantities of asking taken off, identifiers, quoted
/// texts and names found in what is left. Pure: it knows no world.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "index/lexical/text_terms.hpp"

namespace mneme {

/// How much is asked for.
enum class asked_extent : std::uint8_t {
  all,   ///< "everything about the harbour"
  thing, ///< "the harbour fee": one thing, of which several memories may tell
  fact,  ///< "that the harbour fee is five": one statement
};

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

/// Whose something is, as a statement or a request begins.
struct told_whose {
  bool is_me = false; ///< "I", "we"
  bool is_my = false; ///< "my", "our"
  /// Terms of what stands behind "my": of the possessor ("my cat's name"), of somebody ("my older
  /// sister"), else of the first word that tells something.
  std::vector<std::string> noun;
  bool is_somebody = false; ///< the noun is a possessor, or one of somebody
};

struct asked_selection {
  asked_extent extent = asked_extent::fact;
  std::string question;                  ///< what is asked about, for a search
  std::vector<asked_phrase> identifiers; ///< addresses, codes, numbers, paths, quoted texts
  bool any_identifier = false;           ///< they are listed: one of them is enough
  std::vector<asked_phrase> names;
  /// A sign is between two names ("Marks & Spencer"): what has one of them is not meant.
  bool is_one_name = false;
  /// The name that a statement begins with; no terms = it begins with none.
  asked_phrase subject;
  /// The name that the statement to forget begins with; no terms = it begins with none.
  asked_phrase told_of;
  /// Terms of the noun of a thing: "photo" of "my passport photo on the wall". One is enough.
  std::vector<std::string> head;
  bool is_mine = false;             ///< it begins with "I", "my", "we" or "our"
  told_whose whose{};               ///< of what is asked for as mine
  bool is_whose = false;            ///< "my …", "a …": one thing is meant, and of somebody
  std::vector<std::string> content; ///< terms of the question that tell something, distinct
  /// Terms of each thing that is excepted: what has all of one is not selected.
  std::vector<std::vector<std::string>> kept;
  std::vector<std::string> kept_shown; ///< each as it was said
  std::string refusal; ///< why the words select nothing, whatever there is; empty = they may
  /// Of a list ("everything about Globex and Initech"): what each asks for by itself; none = it is
  /// no list. All that any of them selects is meant, if each selects something that is certain.
  std::vector<asked_selection> parts{};
  asked_phrase listed; ///< the list as it stands, if it is one: it may be one name
};

/// Terms are those of the language; the words of asking are English. Precondition: UTF-8.
asked_selection read_asked(std::string_view words, std::string_view language = default_language);

/// Whether the term is of a name that a statement does not begin with.
bool is_value(const asked_selection& asked, std::string_view term);
/// Nothing but three digits or fewer.
bool is_small_number(std::string_view term);
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
/// Whether `text` begins with a word that may name somebody or something, behind who says it.
bool begins_with_name(std::string_view text);
/// Of a text that begins with "I" or "my", behind who says it.
told_whose read_whose(std::string_view text, std::string_view language = default_language);
/// Whether what is asked for is mine, and `text` is about somebody else or somebody else's: of
/// "Ana …", of "My mother …" where she is not asked for, and the other way round.
bool is_of_another(const asked_selection& asked, std::string_view text,
                   std::string_view language = default_language);
/// Whose the noun is in a text that has it.
enum class noun_owner : std::uint8_t {
  nobody, ///< nobody is said to have it
  mine,   ///< "my …", "our old …"
  others, ///< "her …", "Ben's …", and nowhere "my …"
};
/// `noun`: terms of one word.
noun_owner owner_in(std::string_view text, const std::vector<std::string>& noun,
                    std::string_view language = default_language);
/// Without names that a hyphen joins: "Jean-Luc" is not Luc.
std::string without_joined_names(std::string_view text);
/// Whether `text` has a name, behind the beginning of a sentence, that `question` has not.
bool names_another(std::string_view text, std::string_view question);
/// Whether `text` has the token between spaces and marks, whatever the case.
bool has_token(std::string_view text, std::string_view token);

} // namespace mneme
