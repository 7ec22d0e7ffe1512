#pragma once
/// Columns of text for people. The last column is cut to the terminal, and what leaves no room for
/// it goes on in a line below; nothing is cut in a pipe.

#include <string>
#include <string_view>
#include <vector>

#include "tools/command/word_marks.hpp"

namespace mneme::command {

class text_table {
public:
  explicit text_table(std::vector<std::string> titles) : titles_(std::move(titles)) {}
  /// As many cells as titles.
  void add(std::vector<std::string> cells);
  /// In colour, these words of the last column are in bold.
  void mark(word_marks words) { marks_ = std::move(words); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Columns in which no row has anything are left out.
  [[nodiscard]] std::string text(std::size_t width, bool colour) const;

private:
  std::vector<std::string> titles_;
  std::vector<std::vector<std::string>> rows_;
  word_marks marks_;
};

/// Columns that the text takes on a terminal.
std::size_t display_width(std::string_view text);
/// `text` in at most `width` columns, ending in … where it was cut.
std::string cut_to_width(std::string_view text, std::size_t width);

} // namespace mneme::command
