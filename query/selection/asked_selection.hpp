#pragma once
/// What words ask to forget: the verbs and quantities of asking taken off, identifiers, quoted
/// texts and names found in what is left. Pure: it knows no world.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "index/lexical/text_terms.hpp"
#include "query/selection/asked_phrase.hpp"
#include "query/selection/told_whose.hpp"

namespace mneme {

/// How much is asked for.
enum class asked_extent : std::uint8_t {
  all,   ///< "everything about the harbour"
  thing, ///< "the harbour fee": one thing, of which several memories may tell
  fact,  ///< "that the harbour fee is five": one statement
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
  /// Of "everything Mila said" and "all notes by Mila", who: whatever is tagged speaker:NAME is
  /// meant, if there is any; no words = nobody.
  asked_phrase said_by{};
  /// Of "everything about Mila" the one name that is all of it; no words = it is more, or none.
  asked_phrase about{};
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
/// Whether what is asked for is mine, and `text` is about somebody else or somebody else's: of
/// "Ana …", of "My mother …" where she is not asked for, and the other way round.
bool is_of_another(const asked_selection& asked, std::string_view text,
                   std::string_view language = default_language);

} // namespace mneme
