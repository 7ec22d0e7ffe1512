#include "state/branch/temporary_fork.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/text/hex.hpp"
#include "state/branch/branch_note.hpp"
#include "state/branch/fork.hpp"
#include "state/checkpoint/checkpoint.hpp"

namespace mneme {

namespace {

/// Behind it stands the process that needs the fork, and something that no other one has.
std::string front_of_names(const std::string& directory) {
  ensure(!directory.empty(), "a world that is forked is somewhere");
  std::string front = directory;
  while (front.size() > 1 && front.ends_with('/')) front.pop_back();
  return front + ".arms-";
}

std::string name_beside(const std::string& directory) {
  std::array<std::uint8_t, 8> drawn{};
  make_system_random()->fill(drawn);
  return fmt::format("{}{}-{}", front_of_names(directory), ::getpid(), hex_of(drawn));
}

/// Whether the process that made it has ended without removing it.
bool is_left_over(file_system& files, const std::string& fork, std::string_view process) {
  pid_t pid = 0;
  const auto read = std::from_chars(process.data(), process.data() + process.size(), pid);
  if (read.ec != std::errc() || pid <= 0 || *read.ptr != '-') return false;
  if (::kill(pid, 0) == 0 || errno != ESRCH) return false;
  // In another container the number may be somebody else's.
  return files.lock(fork).has_value();
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

/// Forks beside `from` whose processes were killed, with their notes.
void remove_left_over(const std::string& from) {
  const auto files = make_posix_file_system();
  const auto front = std::filesystem::path(front_of_names(from));
  std::vector<std::string> left;
  std::error_code ignored;
  const auto parent = front.has_parent_path() ? front.parent_path() : std::filesystem::path(".");
  for (const auto& beside : std::filesystem::directory_iterator(parent, ignored)) {
    const std::string name = beside.path().filename().string();
    const std::string begin = front.filename().string();
    if (name.starts_with(begin)
        && is_left_over(*files, beside.path().string(), &name[begin.size()]))
      left.push_back(name);
  }
  if (left.empty()) return;
  for (const auto& name : left) std::filesystem::remove_all(parent / name, ignored);
  const auto forks = read_forks(*files, from);
  if (!forks) return;
  for (const branch_note& note : *forks)
    if (std::ranges::count(left, std::filesystem::path(note.path).filename().string()) > 0)
      forget_fork(*files, from, note.branch);
}

} // namespace

result<temporary_fork> fork_for_a_while(const std::string& from, const std::string& into,
                                        seq_no at) {
  remove_left_over(from);
  const std::string to = into.empty() ? name_beside(from) : into;
  auto made = fork_world(from, to, {.at_seq = at});
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
  auto made =
      fork_files(*files, from, to, {.at_seq = at}, {.own = to, .parent = from, .is_locked = false});
  if (!made) return propagate(made);
  return temporary_fork{to, made->checkpoint, [files, from, to, branch = made->branch] {
                          remove_files(*files, to);
                          remove_note(*files, from, branch);
                        }};
}

} // namespace mneme
