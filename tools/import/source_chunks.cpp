#include "tools/import/source_chunks.hpp"

#include "messages/validate/validate.hpp"
#include "tools/import/markdown_text.hpp"
#include "tools/import/text_chunks.hpp"

namespace mneme::importing {

namespace {

bool ends_with_any_case(std::string_view text, std::string_view end) {
  if (text.size() < end.size()) return false;
  text.remove_prefix(text.size() - end.size());
  for (std::size_t i = 0; i < end.size(); ++i)
    if ((text[i] | 0x20) != (end[i] | 0x20)) return false;
  return true;
}

/// Does a block begin with this line, given that the one before it is blank?
bool begins_block(std::string_view line) {
  if (is_blank(line)) return false;
  const char first = line.front();
  return first != ' ' && first != '\t' && first != '}' && first != ')' && first != ']';
}

/// Where blocks begin, ascending; the first is 0.
std::vector<std::size_t> block_starts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  bool after_blank = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    if (after_blank && begins_block(line)) starts.push_back(at);
    after_blank = is_blank(line);
    at = end;
  }
  return starts;
}

/// The start of the last whole lines before `at`, at most overlap_bytes of them.
std::size_t overlap_start(std::string_view text, std::size_t at) {
  const std::size_t from = at > overlap_bytes ? at - overlap_bytes : 0;
  if (from == 0) return 0;
  const auto line_end = text.find('\n', from - 1);
  return line_end == std::string_view::npos || line_end + 1 >= at ? at : line_end + 1;
}

class chunk_collector {
public:
  explicit chunk_collector(std::string_view source) : source_(source) {}

  /// One chunk, or several overlapping ones where it is too long.
  void add(std::string_view text, const std::string& heading) {
    if (text.size() <= chunk_bytes) return put(text, heading);
    for (const auto& piece : cut_chunks(text, chunk_bytes - overlap_bytes)) {
      const std::size_t from = overlap_start(text, piece.position);
      put(text.substr(from, piece.position + piece.text.size() - from), heading);
    }
  }
  /// Blocks, small ones together.
  void add_blocks(std::string_view text, const std::string& heading) {
    const auto starts = block_starts(text);
    std::size_t first = 0;
    for (std::size_t i = 1; i <= starts.size(); ++i) {
      const std::size_t end = i == starts.size() ? text.size() : starts[i];
      const std::size_t last = starts[i - 1];
      if (end - first > chunk_bytes && last > first) {
        add(text.substr(first, last - first), heading);
        first = last;
      }
      if (i == starts.size()) add(text.substr(first), heading);
    }
  }
  std::vector<source_piece> take() { return std::move(pieces_); }

private:
  void put(std::string_view text, const std::string& heading) {
    if (is_blank(text)) return;
    pieces_.push_back({static_cast<std::size_t>(text.data() - source_.data()), text, heading});
  }

  std::string_view source_;
  std::vector<source_piece> pieces_;
};

} // namespace

std::vector<source_piece> cut_source(std::string_view path, std::string_view text) {
  chunk_collector chunks(text);
  if (text.empty()) return {};
  if (ends_with_any_case(path, ".md") || ends_with_any_case(path, ".markdown")) {
    for (const auto& section : read_markdown(text).sections)
      if (section.text.size() <= chunk_bytes)
        chunks.add(section.text, section.heading);
      else
        chunks.add_blocks(section.text, section.heading);
  } else {
    chunks.add_blocks(text, {});
  }
  return chunks.take();
}

} // namespace mneme::importing
