#include "state/branch/beside.hpp"

#include "state/branch/unfinished.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"

namespace mneme {

namespace {

std::string mark_path(const std::string& directory) {
  return directory + "/BESIDE";
}

/// Whether it is what a backup for `to` left: marked so, or nothing that was ever finished.
result<bool> is_of_attempt(file_system& files, const std::string& directory,
                           const std::string& to) {
  if (const auto mark = read_file(files, mark_path(directory)); mark && *mark == to) return true;
  auto has_world = files.exists(world_path(directory));
  if (!has_world || *has_world) return has_world ? result<bool>(false) : propagate(has_world);
  auto is_begun = files.exists(unfinished_path(directory));
  if (!is_begun || *is_begun) return is_begun;
  return files.exists(unfinished_path(directory) + ".new"); // of one that had not begun to say so
}

/// Before the first of its files goes it is no world.
result<void> end_world_in(file_system& files, const std::string& directory) {
  auto lock = files.lock(directory);
  if (!lock) return propagate(lock);
  auto has_world = files.exists(world_path(directory));
  if (!has_world) return propagate(has_world);
  if (!*has_world) return {};
  if (auto ok = replace_file(files, unfinished_path(directory), "a backup\n"); !ok) return ok;
  if (auto ok = files.remove(world_path(directory)); !ok) return ok;
  return files.sync_directory(directory);
}

} // namespace

std::string beside(const std::string& to) {
  return to + ".backup";
}

result<void> mark_beside(file_system& files, const std::string& directory, const std::string& to) {
  return replace_file(files, mark_path(directory), to);
}

result<void> unmark_beside(file_system& files, const std::string& directory) {
  auto is_marked = files.exists(mark_path(directory));
  if (!is_marked || !*is_marked) return is_marked ? result<void>() : propagate(is_marked);
  if (auto ok = files.remove(mark_path(directory)); !ok) return ok;
  return files.sync_directory(directory);
}

result<void> remove_beside(file_system& files, const std::string& to) {
  const std::string directory = beside(to);
  auto left = is_of_attempt(files, directory, to);
  if (!left || !*left) return left ? result<void>() : propagate(left);
  if (auto ok = end_world_in(files, directory); !ok) return ok;
  auto again = unfinished_world::begin(files, directory);
  if (!again) return propagate(again);
  again->abandon();
  auto names = files.list(journal_directory(directory));
  if (!names) return propagate(names);
  if (names->empty()) return {};
  return fail(errc::io, "what was in " + directory + " before could not be removed");
}

} // namespace mneme
