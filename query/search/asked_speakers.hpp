#pragma once
/// Who is named in a question, so that what he or she said counts for more: a memory whose tag is
/// "speaker:NAME" was said by NAME, whose words, one to five, follow each other in the question,
/// folded as terms are: Søren is Soren, and O'Brien two words. Of a longer name one word with a
/// capital letter is enough ("Ravi" of Ravi Patel) where nobody has just that name. Roles that
/// every chat with a machine has name nobody where somebody else may be meant; but who asks by "I"
/// or "my" asks for what the "speaker:user" of such chats said.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/columns/attributes.hpp"

namespace mneme {

/// A longer name is none that a question names.
inline constexpr std::size_t most_name_words = 5;

class asked_speakers {
public:
  asked_speakers() = default;
  asked_speakers(std::string_view question, const attributes& rows);
  /// The roles that a question names, "the assistant", in place of somebody.
  static asked_speakers of_roles(std::string_view question, const attributes& rows);

  [[nodiscard]] bool empty() const { return tags_.empty(); }
  /// Is somebody named, and not only meant by "I" or "my"?
  [[nodiscard]] bool names_any() const;
  /// The folded words of those names of the question that `is_there(tag)`.
  template <class IsThere>
  [[nodiscard]] std::vector<std::string> words_of(const IsThere& is_there) const {
    std::vector<std::string> words;
    for (const auto& [tag, its_words] : named_)
      if (is_there(tag)) words.insert(words.end(), its_words.begin(), its_words.end());
    return words;
  }
  [[nodiscard]] bool said(row_no row, const attributes& rows) const;

  struct named {
    term_no tag;
    std::vector<std::string> words; ///< folded
  };
  /// The tags of whom the question names, as often as it names them.
  [[nodiscard]] const std::vector<named>& all() const { return named_; }
  /// The same tags, each once, ascending.
  [[nodiscard]] const std::vector<term_no>& tags() const { return tags_; }

private:
  void add(std::span<const std::string> name, const attributes& rows);
  void add_by_part(std::string_view question, const attributes& rows);
  void settle();

  std::vector<term_no> tags_;
  std::vector<named> named_;
};

} // namespace mneme
