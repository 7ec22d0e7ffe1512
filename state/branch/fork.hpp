#pragma once
/// A branch of a world, from files alone: the world may be open elsewhere.

#include <string>

#include "mneme/branch.hpp"
#include "storage/file.hpp"

namespace mneme {

/// Where the notes say that the two are: elsewhere than now, if they will be renamed.
struct noted_paths {
  std::string own;
  std::string parent;
  bool is_locked = false; ///< the caller holds the parent's lock
};

/// As fork_world().
result<branch_report> fork_files(file_system& files, const std::string& from, const std::string& to,
                                 const fork_options& options, const noted_paths& noted);
/// Into another file system: nothing can be shared, and the store is made anew when it is needed.
result<branch_report> fork_files(file_system& files, const std::string& from, file_system& to_files,
                                 const std::string& to, const fork_options& options,
                                 const noted_paths& noted);
/// The same onto the machine's disk.
result<branch_report> fork_onto_disk(file_system& files, const std::string& from,
                                     const std::string& into, const fork_options& options);

} // namespace mneme
