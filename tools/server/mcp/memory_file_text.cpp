#include "tools/server/mcp/memory_file_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "messages/text/lower_case.hpp"

namespace mneme::server {

namespace {

constexpr std::size_t most_path_bytes = 1024;
constexpr std::uint64_t kilo = 1024;

/// Lines of a snippet before and behind the one that changed.
constexpr std::size_t context_lines = 2;

/// Dots and slashes in percent signs are what they stand for to whoever decodes them later.
bool hides_dots(std::string_view path) {
  const auto lower = lower_ascii(path);
  return lower.find("%2e") != std::string::npos || lower.find("%2f") != std::string::npos;
}

std::unexpected<error> escapes(std::string_view path) {
  return fail(errc::bad_value, fmt::format("Path {} would escape /memories directory", path));
}

} // namespace

result<std::string> resolve_memory_path(std::string_view path) {
  if (!path.starts_with(memory_files_root)
      || (path.size() > memory_files_root.size() && path[memory_files_root.size()] != '/'))
    return fail(errc::bad_value, fmt::format("Path must start with /memories, got: {}", path));
  if (path.find('\0') != std::string_view::npos || hides_dots(path)) return escapes(path);
  std::vector<std::string_view> parts;
  auto rest = path.substr(memory_files_root.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const auto part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(part.size());
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
      continue;
    }
    if (parts.empty()) return escapes(path);
    parts.pop_back();
  }
  std::string resolved;
  for (const auto part : parts) resolved += (resolved.empty() ? "" : "/") + std::string(part);
  if (resolved.size() > most_path_bytes)
    return fail(errc::limit_exceeded, "a path has at most 1024 bytes");
  return resolved;
}

std::string parent_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

std::string_view name_in_path(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_hidden_name(std::string_view name) {
  return name.starts_with('.') || name == "node_modules";
}

std::vector<std::string> text_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (;;) {
    const auto end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : "\n") + lines[i];
  return text;
}

std::string numbered(const std::vector<std::string>& lines, std::size_t first) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += fmt::format("{}{:>6}\t{}", i == 0 ? "" : "\n", first + i, lines[i]);
  return text;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array units = {"B", "K", "M", "G"};
  std::size_t unit = 0;
  std::uint64_t one = 1;
  while (unit + 1 < units.size() && bytes / one >= kilo) {
    one *= kilo;
    ++unit;
  }
  if (bytes % one == 0) return fmt::format("{}{}", bytes / one, units[unit]);
  const std::uint64_t tenths = (bytes * 20 + one) / (2 * one); // half up
  return fmt::format("{}.{}{}", tenths / 10, tenths % 10, units[unit]);
}

std::string viewed_file(std::string_view shown_path, std::string_view text,
                        std::optional<line_range> range) {
  auto lines = text_lines(text);
  std::size_t first = 1;
  if (range) {
    const auto size = std::ssize(lines);
    first = static_cast<std::size_t>(std::max<std::int64_t>(1, range->first));
    const auto from = std::min<std::int64_t>(static_cast<std::int64_t>(first) - 1, size);
    // Below -1 the end is counted from the last line.
    auto end = range->last == -1 ? size : range->last;
    if (end < 0) end += size;
    end = std::clamp<std::int64_t>(end, from, size);
    lines = {lines.begin() + from, lines.begin() + end};
  }
  return fmt::format("Here's the content of {} with line numbers:\n{}", shown_path,
                     numbered(lines, first));
}

result<edited_text> replace_in(std::string_view shown_path, std::string_view text,
                               std::string_view old, std::string_view now) {
  const auto lines = text_lines(text);
  std::string where;
  std::size_t at = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find(old) == std::string::npos) continue;
    where += fmt::format("{}{}", where.empty() ? "" : ", ", i + 1);
    if (count++ == 0) at = i;
  }
  if (count == 0)
    return fail(
        errc::bad_value,
        fmt::format("No replacement was performed, old_str `{}` did not appear verbatim in {}.",
                    old, shown_path));
  if (count > 1)
    return fail(errc::bad_value,
                fmt::format("No replacement was performed. Multiple occurrences of old_str `{}` in "
                            "lines: {}. Please ensure it is unique",
                            old, where));
  edited_text edited{.text = std::string(text), .said = {}};
  edited.text.replace(edited.text.find(old), old.size(), now);
  const auto changed = text_lines(edited.text);
  const std::size_t from = at < context_lines ? 0 : at - context_lines;
  const std::size_t end = std::min(changed.size(), at + context_lines + 1);
  const std::vector<std::string> snippet(changed.begin() + static_cast<std::ptrdiff_t>(from),
                                         changed.begin() + static_cast<std::ptrdiff_t>(end));
  edited.said =
      "The memory file has been edited. Here is the snippet showing the change (with line "
      "numbers):\n"
      + numbered(snippet, from + 1);
  return edited;
}

result<edited_text> insert_in(std::string_view shown_path, std::string_view text, std::int64_t line,
                              std::string_view what) {
  auto lines = text_lines(text);
  if (line < 0 || line > std::ssize(lines))
    return fail(errc::bad_value,
                fmt::format("Invalid `insert_line` parameter: {}. It should be within the range of "
                            "lines of the file: [0, {}]",
                            line, lines.size()));
  if (what.ends_with('\n')) what.remove_suffix(1);
  lines.insert(lines.begin() + line, std::string(what));
  return edited_text{.text = joined_lines(lines),
                     .said = fmt::format("The file {} has been edited.", shown_path)};
}

} // namespace mneme::server
