#pragma once
/// Who is named in a question, so that what he or she said counts for more: a memory whose tag is
/// "speaker:NAME" was said by NAME, whose words, one to three, follow each other in the question,
/// folded as terms are: Søren is Soren, and O'Brien two words. Roles that every chat with a machine
/// has name nobody; but who asks by "I" or "my" asks for what the "speaker:user" of such chats
/// said.

#include <string>
#include <string_view>
#include <vector>

#include "index/columns/attributes.hpp"

namespace mneme {

class asked_speakers {
public:
  asked_speakers() = default;
  asked_speakers(std::string_view question, const attributes& rows);

  [[nodiscard]] bool empty() const { return tags_.empty(); }
  /// The folded words of those names of the question that `is_there(tag)`.
  template <class IsThere>
  [[nodiscard]] std::vector<std::string> words_of(const IsThere& is_there) const {
    std::vector<std::string> words;
    for (const auto& [tag, its_words] : named_)
      if (is_there(tag)) words.insert(words.end(), its_words.begin(), its_words.end());
    return words;
  }
  [[nodiscard]] bool said(row_no row, const attributes& rows) const;

private:
  std::vector<term_no> tags_;
  struct named {
    term_no tag;
    std::vector<std::string> words;
  };
  std::vector<named> named_;
};

} // namespace mneme
