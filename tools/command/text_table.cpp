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

constexpr std::size_t gap = 2;
/// Of the lines of a row behind its first.
constexpr std::size_t indent = 2;
/// The last column is cut to what is left, unless that says nothing any more.
constexpr std::size_t least_of_last = 10;

/// Which columns begin a line of their own: what does not fit on the terminal goes below, so that
/// ids can be read whole.
std::vector<bool> lines_of(const std::vector<std::size_t>& shown,
                           const std::vector<std::size_t>& widths, std::size_t width) {
  std::vector<bool> begins(widths.size());
  std::size_t used = 0;
  for (const std::size_t c : shown) {
    const std::size_t needed = c == shown.back() ? std::min(widths[c], least_of_last) : widths[c];
    if (width != no_width && used > indent && used + needed > width) {
      begins[c] = true;
      used = indent;
    }
    used += widths[c] + gap;
  }
  return begins;
}

std::string without_end_blanks(std::string line, std::size_t width) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line.empty() ? line : cut_to_width(line, width) + "\n";
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
  if (shown.empty()) return {};
  const std::vector<bool> begins_line = lines_of(shown, widths, width);
  const auto row_text = [&](const std::vector<std::string>& cells, bool is_marked) {
    std::string lines;
    std::string line;
    std::size_t used = 0;
    for (const std::size_t c : shown) {
      if (begins_line[c]) {
        lines += without_end_blanks(std::move(line), width);
        line = std::string(indent, ' ');
        used = indent;
      }
      if (c == shown.back()) {
        const std::string last =
            cut_to_width(cells[c], width == no_width ? no_width : width - std::min(width, used));
        if (begins_line[c] && last.empty()) return lines;
        return lines + line + (is_marked ? marks_.in_bold(last) : last) + "\n";
      }
      line += cells[c] + std::string(widths[c] - display_width(cells[c]) + gap, ' ');
      used += widths[c] + gap;
    }
    return lines;
  };
  std::string out = row_text(titles_, false);
  if (colour) out = "\033[1m" + out + "\033[0m";
  for (const auto& row : rows_) out += row_text(row, colour);
  return out;
}

} // namespace mneme::command
