#pragma once
/// Copies of a world, from files alone: the world may be open elsewhere. Segments only grow, so
/// that those which have a successor are copied once.

#include <string>

#include "mneme/branch.hpp"
#include "storage/file.hpp"

namespace mneme {

/// As backup_world(). `may_change_places`: `to` can change its name with a directory beside it.
result<branch_report> backup_files(file_system& files, const std::string& from,
                                   const std::string& to, bool may_change_places = true);
/// As stream_backup(); its WORLD file comes last.
result<branch_report> stream_files(file_system& files, const std::string& from, backup_stream& to);

} // namespace mneme
