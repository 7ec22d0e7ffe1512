#pragma once
/// Whether a new statement takes the place of an older one. That they share words is not enough:
/// most of what is new is true beside what is old. Pure: it knows no world.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "index/lexical/text_terms.hpp"

namespace mneme {

/// Whose a statement is, by the word that it begins with.
enum class stated_by : std::uint8_t {
  nobody,   ///< "The budget …", "Ana …"
  me,       ///< "my …", "our …"
  somebody, ///< "his …", "her …", "your …", "their …"
};

/// What stands before the first comma or point, or between two.
struct stated_part {
  stated_by by = stated_by::nobody;
  std::string first; ///< the first word in lower case, if it is not possessive: "i", "ana"
  /// Of "my address is …": terms before the verb of being, sorted; empty = it has no such verb.
  std::vector<std::string> topic;
  /// Something of which there is one: an address, a name.
  bool is_attribute = false;
  /// What kinds of values stand in it: days, months, numbers.
  std::vector<std::string_view> kinds;
};

/// "not", "never", "isn't". English alone.
bool denies(std::string_view text);
/// Whether one of them denies what the other says: what is asked denies something and the text
/// nothing, or something else; or the text denies what is asked, in the clause that says most of
/// it.
bool is_denied_otherwise(std::string_view asked, std::string_view text,
                         std::string_view language = default_language);
/// That, or both texts name days, months or numbers, and of one of these kinds none that is the
/// same: "six" and "noon, pier four".
bool is_contrary(std::string_view a, std::string_view b,
                 std::string_view language = default_language);

/// A word that says something of its own, as it is compared.
struct stated_word {
  std::string term;      ///< its first one, or the word in lower case
  std::string_view kind; ///< day, month, number; empty = no value
  bool is_name = false;  ///< a capital letter that begins no sentence
  bool tells = false;    ///< no function word
  /// A number before the verb: it says which one is meant ("Room 203 has …").
  bool is_of_subject = false;
};

/// How a text states what it does.
struct stated_text {
  std::vector<stated_part> parts;
  std::vector<stated_word> words; ///< without articles, "is" and "now"
  bool is_long = false;           ///< somebody talks: nothing is read into its parts
  bool is_one = false;            ///< it is one sentence
  bool adds = false;              ///< "too", "also": beside what is there
  bool changes = false;           ///< "now", "no longer"
};
stated_text read_stated(std::string_view text, std::string_view language = default_language);

/// Whether both say the same of the same, with another value: then both cannot hold. The older one
/// must say nothing else, which would be lost. `subject`: terms of the name that the new one begins
/// with. In doubt it does not.
bool takes_place(const stated_text& said, const stated_text& older,
                 const std::vector<std::string>& subject);

} // namespace mneme
