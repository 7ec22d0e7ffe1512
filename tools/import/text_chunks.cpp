#include "tools/import/text_chunks.hpp"

#include <algorithm>

#include "messages/text/utf8_point.hpp"

namespace mneme::importing {

std::string_view cut_text(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  return text.substr(0, point_start(text, max_bytes));
}

std::vector<text_chunk> cut_chunks(std::string_view text, std::size_t target_bytes) {
  std::vector<text_chunk> chunks;
  std::size_t first = 0;
  while (first < text.size()) {
    const std::string_view rest = text.substr(first);
    std::size_t size = rest.size();
    if (size > target_bytes) {
      const auto line_end = rest.rfind('\n', target_bytes - 1);
      size =
          line_end != std::string_view::npos ? line_end + 1 : cut_text(rest, target_bytes).size();
      if (size == 0) size = rest.size(); // only where a piece is smaller than one code point
    }
    chunks.push_back({first, rest.substr(0, size)});
    first += size;
  }
  return chunks;
}

std::string short_line(std::string_view who, std::string_view text) {
  constexpr std::size_t most_bytes = 160;
  constexpr std::string_view more = "…";
  std::string line;
  if (!who.empty() && !text.starts_with(who)) line.append(who).append(": ");
  line.append(text);
  std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  if (line.size() <= most_bytes) return line;
  return std::string(cut_text(line, most_bytes - more.size())).append(more);
}

} // namespace mneme::importing
