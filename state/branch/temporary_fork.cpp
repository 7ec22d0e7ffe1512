#include "state/branch/temporary_fork.hpp"

#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/text/hex.hpp"
#include "state/branch/branch_note.hpp"
#include "state/branch/fork.hpp"
#include "state/checkpoint/checkpoint.hpp"

namespace mneme {

namespace {

std::string name_beside(const std::string& directory) {
  ensure(!directory.empty(), "a world that is forked is somewhere");
  std::array<std::uint8_t, 8> drawn{};
  make_system_random()->fill(drawn);
  std::string front = directory;
  while (front.size() > 1 && front.ends_with('/')) front.pop_back();
  return front + ".arms-" + hex_of(drawn);
}

/// Nothing depends on the note, and there may be nothing to remove.
void remove_note(file_system& files, const std::string& from, const std::string& branch) {
  static_cast<void>(files.remove(forks_directory(from) + "/" + branch));
}

void remove_files(file_system& files, const std::string& directory) {
  for (const auto& dir : {journal_directory(directory), image_directory(directory), directory}) {
    const auto names = files.list(dir);
    if (!names) continue;
    for (const auto& name : *names)
      static_cast<void>(files.remove(fmt::format("{}/{}", dir, name)));
  }
}

} // namespace

result<temporary_fork> fork_for_a_while(const std::string& from, const std::string& into,
                                        seq_no at) {
  const std::string to = into.empty() ? name_beside(from) : into;
  auto made = fork_world(from, to, {.at = at, .random = {}});
  if (!made) return propagate(made);
  return temporary_fork{to, made->checkpoint, [from, to, branch = made->branch] {
                          std::error_code ignored;
                          std::filesystem::remove_all(to, ignored);
                          remove_note(*make_posix_file_system(), from, branch);
                        }};
}

result<temporary_fork> fork_for_a_while(const std::shared_ptr<file_system>& files,
                                        const std::string& from, seq_no at) {
  const std::string to = name_beside(from);
  auto made = fork_files(*files, from, to, {.at = at, .random = {}},
                         {.own = to, .parent = from, .is_locked = false});
  if (!made) return propagate(made);
  return temporary_fork{to, made->checkpoint, [files, from, to, branch = made->branch] {
                          remove_files(*files, to);
                          remove_note(*files, from, branch);
                        }};
}

} // namespace mneme
