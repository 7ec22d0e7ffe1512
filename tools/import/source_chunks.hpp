#pragma once
/// Cuts a source into chunks, the one way for every importer. Markdown is cut by its headings, any
/// other text where something begins after a blank line at the left margin (a function, a class, a
/// paragraph); small neighbours share a chunk, and what is longer than a chunk is cut at lines,
/// each piece beginning with the last lines of the one before. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mneme::importing {

inline constexpr std::size_t overlap_bytes = 200;

struct source_piece {
  std::size_t position = 0; ///< byte offset in the source
  std::string_view text;    ///< not blank
  std::string heading;      ///< of a Markdown section; may be empty
};

/// Every byte that is not white space is in a piece; pieces come in order. They borrow from `text`,
/// which must be UTF-8.
std::vector<source_piece> cut_source(std::string_view path, std::string_view text);

} // namespace mneme::importing
