#pragma once
/// Hashtags for imported memories, by one rule for every importer: Core is whose it is, Mid are six
/// words of what it is about, Outer is the month it is of. docs/CHROMA.md has the rule for users.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mneme/engine.hpp"

namespace mneme::importing {

/// What an importer knows of a memory that may get a colour.
struct colour_source {
  std::string whose;              ///< a persona, a conversation, a repository
  std::vector<std::string> names; ///< keywords, speakers, folders: the most telling first
  std::string text;
  std::optional<timestamp> when; ///< absent = undated
};

/// So many of the Mid words come from the names, if the text has words for the others.
inline constexpr std::size_t mid_names = 4;
inline constexpr std::size_t mid_words = 6;

/// Words that a memory may be coloured with, the best first, without repetitions.
std::vector<std::string> mid_candidates(const colour_source& source);
/// "2023-05", or "undated".
std::string outer_word(const colour_source& source);

class import_colours {
public:
  struct choice {
    std::vector<std::string> hashtags;
    std::vector<assign_tag_request> new_tags; ///< to be made before
  };

  /// Reads which words the world has assigned.
  static result<import_colours> open(engine& target);

  /// nullopt where there are not six words, or no anchor is left for them. What is chosen counts as
  /// assigned from then on.
  std::optional<choice> choose(const colour_source& source, const std::string& actor);

private:
  import_colours() = default;
  [[nodiscard]] bool may_be(const std::string& word, colour_zone zone) const;
  void take(const std::string& word, colour_zone zone, const std::string& actor, choice& into);

  std::map<std::string, colour_zone, std::less<>> assigned_; ///< by the key of the tag
  std::map<colour_zone, std::size_t> used_;
};

} // namespace mneme::importing
