#include "state/branch/unfinished.hpp"

#include <fmt/format.h>

#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"

namespace mneme {

namespace {

constexpr std::string_view mark = "A fork, a backup or a join is being made here, or was broken "
                                  "off. If there is a WORLD file beside this one it was finished, "
                                  "and this file means nothing.\n";

/// Already_exists unless nothing but what a world leaves that was never finished is there.
result<void> check_vacant(file_system& files, const std::string& directory) {
  auto world = files.exists(world_path(directory));
  if (!world) return propagate(world);
  if (*world) return fail(errc::already_exists, directory + " already holds a world", "into");
  auto names = files.list(directory);
  if (!names) return propagate(names);
  bool is_vacant = true;
  for (const auto& name : *names) {
    if (name == unfinished_name) return {}; // all that is there is of an attempt
    is_vacant = is_vacant && is_of_nothing_begun(name);
  }
  auto images = files.list(image_directory(directory));
  if (!images) return propagate(images);
  auto unwritten = is_journal_unwritten(files, directory);
  if (!unwritten) return propagate(unwritten);
  if (is_vacant && images->empty() && *unwritten) return {};
  return fail(errc::already_exists, directory + " is not empty; it needs a directory of its own",
              "into");
}

result<void> remove_all(file_system& files, const std::string& directory) {
  auto names = files.list(directory);
  if (!names) return propagate(names);
  for (const auto& name : *names) {
    if (name == "LOCK" || name == unfinished_name) continue;
    const std::string path = fmt::format("{}/{}", directory, name);
    if (auto ok = files.remove(path); !ok) return ok;
  }
  return {};
}

/// All but the file that says what the directory is.
result<void> remove_contents(file_system& files, const std::string& directory) {
  if (auto ok = remove_stores(files, directory); !ok) return ok;
  for (const auto& dir : {journal_directory(directory), image_directory(directory), directory})
    if (auto ok = remove_all(files, dir); !ok) return ok;
  return {};
}

/// One that could not be finished is no world before the first of its files goes.
result<void> remove_world(file_system& files, const std::string& directory) {
  auto there = files.exists(world_path(directory));
  if (!there) return propagate(there);
  if (!*there) return {};
  if (auto ok = files.remove(world_path(directory)); !ok) return ok;
  return files.sync_directory(directory);
}

result<void> sync_all(file_system& files, const std::string& directory) {
  auto stores = store_names(files, directory);
  if (!stores) return propagate(stores);
  for (const auto& name : *stores)
    if (auto ok = files.sync_directory(fmt::format("{}/{}", directory, name)); !ok) return ok;
  for (const auto& dir : {journal_directory(directory), image_directory(directory), directory})
    if (auto ok = files.sync_directory(dir); !ok) return ok;
  return {};
}

} // namespace

bool is_of_nothing_begun(std::string_view file_name) {
  return file_name == "LOCK" || file_name == "WORLD.new" || file_name == "UNFINISHED.new";
}

result<void> remove_stores(file_system& files, const std::string& directory) {
  auto stores = store_names(files, directory);
  if (!stores) return propagate(stores);
  for (const auto& name : *stores) {
    const std::string store = fmt::format("{}/{}", directory, name);
    if (auto ok = remove_all(files, store); !ok) return ok;
    if (auto ok = files.sync_directory(store); !ok) return ok;
  }
  return {};
}

result<unfinished_world> unfinished_world::begin(file_system& files, const std::string& directory) {
  // Before the lock: what is somebody else's is left as it is.
  if (auto ok = check_vacant(files, directory); !ok) return propagate(ok);
  if (auto ok = files.create_directories(directory); !ok) return propagate(ok);
  auto lock = files.lock(directory);
  if (!lock) return propagate(lock);
  if (auto ok = check_vacant(files, directory); !ok) return propagate(ok);
  if (auto ok = replace_file(files, unfinished_path(directory), mark); !ok) {
    static_cast<void>(files.remove(directory + "/LOCK")); // nothing is left of what did not begin
    return propagate(ok);
  }
  if (auto ok = remove_contents(files, directory); !ok) return propagate(ok);
  for (const auto& dir : {journal_directory(directory), image_directory(directory)})
    if (auto ok = files.create_directories(dir); !ok) return propagate(ok);
  return unfinished_world(files, directory, std::move(*lock));
}

result<void> unfinished_world::finish(const world_file& info) {
  if (auto ok = sync_all(*files_, directory_); !ok) return ok;
  if (auto ok = replace_file(*files_, world_path(directory_), encode(info)); !ok) return ok;
  if (auto ok = files_->remove(unfinished_path(directory_)); !ok) return ok;
  return files_->sync_directory(directory_);
}

void unfinished_world::abandon() {
  if (auto ok = remove_world(*files_, directory_); !ok) return;
  if (auto ok = remove_contents(*files_, directory_); !ok) return;
  // A crash may bring back what was removed: then the file that says what that is must be there.
  if (auto ok = sync_all(*files_, directory_); !ok) return;
  if (auto ok = files_->remove(unfinished_path(directory_)); !ok) return;
  static_cast<void>(files_->remove(directory_ + "/LOCK"));
}

} // namespace mneme
