#include "tools/command/text_table.hpp"

#include <algorithm>

#include <utf8proc.h>

#include "messages/ensure.hpp"
#include "messages/text/utf8_point.hpp"
#include "tools/command/console.hpp"

namespace mneme::command {

namespace {

/// Of a terminal; bytes that are no text take one each, as they are shown.
std::size_t columns_of(utf8_point p) {
  return p.value < 0 ? 1 : static_cast<std::size_t>(std::max(0, utf8proc_charwidth(p.value)));
}

} // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const utf8_point p = first_point(text);
    columns += columns_of(p);
    text.remove_prefix(p.bytes);
  }
  return columns;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (width == no_width || display_width(text) <= width) return std::string(text);
  std::size_t columns = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const utf8_point p = first_point(text.substr(end));
    if (columns + columns_of(p) + 1 > width) break;
    columns += columns_of(p);
    end += p.bytes;
  }
  return std::string(text.substr(0, end)) + "…";
}

void text_table::add(std::vector<std::string> cells) {
  ensure(cells.size() == titles_.size(), "a row has a cell per title");
  for (auto& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string text_table::text(std::size_t width, bool colour) const {
  std::vector<std::size_t> shown;
  std::vector<std::size_t> widths(titles_.size());
  for (std::size_t c = 0; c < titles_.size(); ++c) {
    for (const auto& row : rows_) widths[c] = std::max(widths[c], display_width(row[c]));
    if (widths[c] > 0) shown.push_back(c);
    widths[c] = std::max(widths[c], display_width(titles_[c]));
  }
  constexpr std::size_t gap = 2;
  const auto line = [&](const std::vector<std::string>& cells, bool is_marked) {
    std::string out;
    std::size_t used = 0;
    for (const std::size_t c : shown) {
      const bool is_last = c == shown.back();
      if (is_last) {
        // Where the others leave no room for it, the line is cut as a whole.
        if (width != no_width && width <= used + gap)
          return cut_to_width(out + cells[c], width) + "\n";
        const std::string last =
            cut_to_width(cells[c], width == no_width ? no_width : width - used);
        return out + (is_marked ? marks_.in_bold(last) : last) + "\n";
      }
      out += cells[c] + std::string(widths[c] - display_width(cells[c]) + gap, ' ');
      used += widths[c] + gap;
    }
    return out + "\n";
  };
  if (shown.empty()) return {};
  std::string out = colour ? "\033[1m" + line(titles_, false) + "\033[0m" : line(titles_, false);
  for (const auto& row : rows_) out += line(row, colour);
  return out;
}

} // namespace mneme::command
