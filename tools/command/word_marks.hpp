#pragma once
/// Which words of a text are those of a question, to show people why it was found. What the engine
/// matched by is finer (stems, vectors); here a word is one of the question's if both begin alike
/// and differ in their endings alone; function words are none.

#include <string>
#include <string_view>
#include <vector>

namespace mneme::command {

class word_marks {
public:
  word_marks() = default;
  explicit word_marks(std::string_view question);

  /// The text on one line; of one that is long from shortly before the first word that matches.
  [[nodiscard]] std::string excerpt(std::string_view text) const;
  /// The text with what matches in bold, as terminals show it.
  [[nodiscard]] std::string in_bold(std::string_view text) const;

private:
  [[nodiscard]] bool matches(std::string_view word) const;

  std::vector<std::string> words_;
};

} // namespace mneme::command
