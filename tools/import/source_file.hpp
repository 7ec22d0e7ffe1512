#pragma once
/// Input files of importers: their lines with numbers, or their whole text.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mneme/error.hpp"

namespace mneme::importing {

struct source_line {
  std::string text;
  std::string where;           ///< "path:line"
  std::uint64_t position = 0;  ///< bytes read up to its end
  std::uint64_t file_size = 0; ///< 0 = unknown
};

/// Calls `visit` for every line that is not blank. `-` is standard input.
result<void> for_each_line(const std::string& path,
                           const std::function<result<void>(const source_line&)>& visit);

/// The whole of a regular file.
result<std::string> read_source(const std::string& path);

/// The regular files under `root` that are wanted: relative paths, sorted. Hidden folders are
/// passed over, and symbolic links, which may lead out of it. With `left_out`, what was passed over
/// is counted there by its kind.
result<std::vector<std::string>>
list_files(const std::filesystem::path& root, bool (*wanted)(const std::filesystem::path&),
           std::map<std::string, std::uint64_t>* left_out = nullptr);

} // namespace mneme::importing
