#pragma once
/// Whose the things are that a statement or a request tells of: mine, somebody's of mine, or
/// another's. English words alone. Pure.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/lexical/text_terms.hpp"
#include "query/selection/word_list.hpp"

namespace mneme {

/// Whose something is, as a statement or a request begins.
struct told_whose {
  bool is_me = false; ///< "I", "we"
  bool is_my = false; ///< "my", "our"
  /// Terms of what stands behind "my": of the possessor ("my cat's name"), of somebody ("my older
  /// sister"), else of the first word that tells something.
  std::vector<std::string> noun;
  bool is_somebody = false; ///< the noun is a possessor, or one of somebody
};

/// Of words in lower case: "I", "my" and the like; what tells one state of a thing from another and
/// no thing ("new", "former"); what names nobody where a statement begins with it ("Yesterday").
bool is_first_person(std::string_view lower);
bool is_weak(std::string_view lower);
bool is_opening(std::string_view lower);

/// What words that begin with "I" or "my" say of whose it is.
told_whose whose_in(std::span<const asked_word> list, std::string_view language);
/// Whether `text` begins with a word that may name somebody or something, behind who says it.
bool begins_with_name(std::string_view text);
/// Of a text that begins with "I" or "my", behind who says it.
told_whose read_whose(std::string_view text, std::string_view language = default_language);
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

} // namespace mneme
