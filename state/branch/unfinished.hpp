#pragma once
/// A directory in which a world is made of another one. Its WORLD file is written last: until then
/// it is no world, the file UNFINISHED says what it is, and whoever makes one there again begins
/// with removing what is left.

#include <memory>
#include <string>
#include <string_view>

#include "state/checkpoint/world_file.hpp"
#include "storage/file.hpp"

namespace mneme {

class unfinished_world {
public:
  /// Locks and empties `directory`, and makes it if there is none. already_exists if it holds a
  /// world or anything else that no broken off attempt left; busy.
  static result<unfinished_world> begin(file_system& files, const std::string& directory);

  /// Names in its journal and images are made durable, then it is a world.
  result<void> finish(const world_file& info);
  /// What was refused leaves no files behind, as far as they can be removed.
  void abandon();

private:
  unfinished_world(file_system& files, std::string directory, std::unique_ptr<directory_lock> lock)
      : files_(&files), directory_(std::move(directory)), lock_(std::move(lock)) {}

  file_system* files_;
  std::string directory_;
  std::unique_ptr<directory_lock> lock_;
};

/// Files that are there before an attempt says what it is: nothing is lost with them.
bool is_of_nothing_begun(std::string_view file_name);
/// Removes the files of the stores in `directory`: whoever opens the world next makes one of the
/// journal. Durable.
result<void> remove_stores(file_system& files, const std::string& directory);

} // namespace mneme
