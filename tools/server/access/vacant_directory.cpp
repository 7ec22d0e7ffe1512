#include "tools/server/access/vacant_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "storage/file.hpp"

namespace mneme::server {

namespace fs = std::filesystem;

namespace {

bool has_only_files(const fs::path& directory) {
  std::error_code problem;
  const fs::directory_iterator entries(directory, problem);
  return !problem && std::ranges::all_of(entries, [](const fs::directory_entry& e) {
    std::error_code gone;
    return e.is_regular_file(gone);
  });
}

} // namespace

bool is_vacant(const std::string& directory) {
  std::error_code problem;
  if (!fs::exists(directory, problem)) return true;
  if (!fs::is_directory(directory, problem)) return false;
  for (const auto& entry : fs::directory_iterator(directory, problem)) {
    const auto name = entry.path().filename().string();
    const bool is_left_over = name == "LOCK" || name == "LOG" || name == "WORLD.new"
                              || (name == "journal" && has_only_files(entry.path()));
    if (!is_left_over) return false;
  }
  return is_journal_unwritten(*make_posix_file_system(), directory).value_or(false);
}

result<void> check_world_or_vacant(const std::string& directory) {
  if (is_vacant(directory)) return {};
  // Last: somebody may be making it.
  std::error_code problem;
  if (fs::exists(world_path(directory), problem)) return {};
  return std::unexpected(no_world(*make_posix_file_system(), directory));
}

} // namespace mneme::server
