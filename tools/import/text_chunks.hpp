#pragma once
/// Cuts a text into pieces of about a size, at line boundaries where there are any.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/types.hpp"

namespace mneme::importing {

inline constexpr std::size_t chunk_bytes = 1500;

struct text_chunk {
  std::size_t position = 0; ///< byte offset in the text
  std::string_view text;
};

/// Every byte is in exactly one piece, in order. A line that is longer than a piece is cut at code
/// point boundaries. `text` must be UTF-8.
std::vector<text_chunk> cut_chunks(std::string_view text, std::size_t target_bytes = chunk_bytes);

/// `text` cut to at most `max_bytes` at a code point boundary.
std::string_view cut_text(std::string_view text, std::size_t max_bytes);

/// How what happened or was said is told: who, unless the text begins with that or nobody is named,
/// and its words, the short form in one line of 160 bytes, the medium one in 800 bytes. The
/// automatic forms of an Event begin with its outcome and kind, which no source of an import says.
forms_override told_forms(std::string_view who, std::string_view text);

} // namespace mneme::importing
