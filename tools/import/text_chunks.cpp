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

namespace {

/// Who, unless the text begins with that or nobody is named, and the text.
std::string said_by(std::string_view who, std::string_view text) {
  std::string said;
  if (!who.empty() && !text.starts_with(who)) said.append(who).append(": ");
  return said.append(text);
}

std::string within(std::string text, std::size_t most_bytes) {
  constexpr std::string_view more = "…";
  if (text.size() <= most_bytes) return text;
  return std::string(cut_text(text, most_bytes - more.size())).append(more);
}

} // namespace

forms_override told_forms(std::string_view who, std::string_view text) {
  constexpr std::size_t most_short_bytes = 160;
  constexpr std::size_t most_medium_bytes = 800;
  std::string said = said_by(who, text);
  std::string line = said;
  std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return {.short_form = within(std::move(line), most_short_bytes),
          .medium_form = within(std::move(said), most_medium_bytes)};
}

} // namespace mneme::importing
