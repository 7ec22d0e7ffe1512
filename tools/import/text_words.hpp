#pragma once
/// The words that a text is about: what hashtags and summaries of imports are made of. Pure.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mneme::importing {

/// Runs of letters, digits and `_` in lower case, in order, with repetitions. Left out are words of
/// fewer than three letters, those without a letter, and those that say nothing by themselves
/// (the, and, you…). `text` must be UTF-8.
std::vector<std::string> telling_words(std::string_view text);

/// How often telling words occur.
class word_counts {
public:
  void add(std::string_view text);
  /// At most `count` words: the most frequent first, then what came first.
  [[nodiscard]] std::vector<std::string> most(std::size_t count) const;

private:
  struct occurrences {
    std::size_t times = 0;
    std::size_t first = 0;
  };
  std::map<std::string, occurrences> counted_;
};

/// The parts of a path or an address, the innermost first, which says most.
std::vector<std::string> innermost_first(std::string_view path, char separator);

/// A name as one hashtag: lower case, blanks inside become `-`, at most 64 bytes. Empty if nothing
/// is left.
std::string name_as_hashtag(std::string_view name);

} // namespace mneme::importing
