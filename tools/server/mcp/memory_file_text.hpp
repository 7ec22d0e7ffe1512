#pragma once
/// Paths and texts of the file-shaped memory tool: what a model reads and writes, word for word as
/// the tool's own file implementation has it. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/error.hpp"

namespace mneme::server {

/// The root of all paths.
inline constexpr std::string_view memory_files_root = "/memories";

/// A path below the root without its slash, "" for the root itself: `.` and `..` resolved. Refused
/// where it leads out, also with `..` in percent signs.
result<std::string> resolve_memory_path(std::string_view path);
/// "" for what stands in the root, and for the root.
std::string parent_of(std::string_view path);
std::string_view name_in_path(std::string_view path);
/// Listed nowhere, though it can be asked for.
bool is_hidden_name(std::string_view name);

std::vector<std::string> text_lines(std::string_view text);
std::string joined_lines(const std::vector<std::string>& lines);
/// Lines with their numbers, from `first` (1) on.
std::string numbered(const std::vector<std::string>& lines, std::size_t first);
/// 1.5K and its like.
std::string size_text(std::uint64_t bytes);

struct line_range {
  std::int64_t first = 1;
  std::int64_t last = -1; ///< -1: the end
};
/// What `view` says of a file.
std::string viewed_file(std::string_view shown_path, std::string_view text,
                        std::optional<line_range> range);

/// A text after an edit, and what is said of it.
struct edited_text {
  std::string text;
  std::string said;
};
/// `old` has to stand in exactly one line.
result<edited_text> replace_in(std::string_view shown_path, std::string_view text,
                               std::string_view old, std::string_view now);
/// Behind so many lines.
result<edited_text> insert_in(std::string_view shown_path, std::string_view text, std::int64_t line,
                              std::string_view what);

} // namespace mneme::server
