#include "tools/import/source_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "messages/validate/validate.hpp"
#include "tools/protocol/json_text.hpp"
#include "tools/protocol/line_reader.hpp"

namespace mneme::importing {

namespace {

namespace fs = std::filesystem;

using file_handle = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::unexpected<error> refused(const std::string& path) {
  const int cause = errno;
  return fail(cause == ENOENT ? errc::not_found : errc::io,
              fmt::format("cannot read {}: {}", path, std::generic_category().message(cause)));
}

result<file_handle> open_source(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return fail(errc::bad_value, path + " is a directory, not a file");
  file_handle file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) return refused(path);
  return file;
}

int leave_open(std::FILE*) {
  return 0;
}

} // namespace

result<void> for_each_line(const std::string& path,
                           const std::function<result<void>(const source_line&)>& visit) {
  file_handle file(stdin, &leave_open);
  source_line line;
  if (path != "-") {
    auto opened = open_source(path);
    if (!opened) return propagate(opened);
    file = std::move(*opened);
    std::error_code unknown_size;
    const auto size = std::filesystem::file_size(path, unknown_size);
    if (!unknown_size) line.file_size = size;
  }
  using protocol::line_reader;
  line_reader reader(file.get(), protocol::max_line_bytes);
  for (std::uint64_t number = 1;; ++number) {
    const auto outcome = reader.next(line.text);
    if (outcome == line_reader::outcome::end) break;
    line.where = fmt::format("{}:{}", path, number);
    line.position = reader.position();
    if (outcome == line_reader::outcome::too_long)
      return fail(errc::line_too_long, fmt::format("{}: a line has at most {} bytes", line.where,
                                                   protocol::max_line_bytes));
    if (is_blank(line.text)) continue;
    if (auto ok = visit(line); !ok) return ok;
  }
  if (reader.failed()) return refused(path);
  return {};
}

result<std::string> read_source(const std::string& path) {
  auto file = open_source(path);
  if (!file) return propagate(file);
  std::string text;
  char buffer[1U << 14];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file->get()))
    text.append(buffer, got);
  if (std::ferror(file->get()) != 0) return refused(path);
  return text;
}

result<std::vector<std::string>> list_files(const std::filesystem::path& root,
                                            bool (*wanted)(const std::filesystem::path&),
                                            std::map<std::string, std::uint64_t>* left_out) {
  std::vector<std::string> paths;
  const auto leave_out = [&](const char* kind) {
    if (left_out != nullptr) ++(*left_out)[kind];
  };
  std::error_code problem;
  fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied, problem);
  for (; !problem && it != fs::recursive_directory_iterator(); it.increment(problem)) {
    std::error_code gone;
    const fs::file_type type = it->symlink_status(gone).type();
    const bool hidden = it->path().filename().string().starts_with('.');
    if (type == fs::file_type::symlink) {
      leave_out("symbolic links");
    } else if (type == fs::file_type::directory) {
      if (!hidden) continue;
      it.disable_recursion_pending();
      leave_out("hidden folders");
    } else if (type != fs::file_type::regular) {
      leave_out("what is no regular file");
    } else if (wanted(it->path())) {
      paths.push_back(it->path().lexically_relative(root).generic_string());
    } else if (hidden) {
      leave_out("hidden files");
    }
  }
  if (problem) return fail(errc::io, "cannot list " + root.string() + ": " + problem.message());
  std::ranges::sort(paths);
  return paths;
}

} // namespace mneme::importing
