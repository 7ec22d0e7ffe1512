#pragma once
/// Copies of a world, from files alone: the world may be open elsewhere. Segments only grow, so
/// that those which have a successor are copied once.

#include <functional>
#include <string>

#include "journal/journal_cut.hpp"
#include "mneme/branch.hpp"
#include "state/checkpoint/world_file.hpp"
#include "storage/file.hpp"

namespace mneme {

/// As backup_world(). `may_change_places`: `to` can change its name with a directory beside it.
result<branch_report> backup_files(file_system& files, const std::string& from,
                                   const std::string& to, bool may_change_places = true);
/// What a backup has, in `to`, where nothing is, as the copy of the log at `address`: without a
/// seal of its own, so that the log goes on behind the last entry. `check` sees where that is
/// before anything is made.
using cut_check = std::function<result<void>(const world_file&, const journal_cut&)>;
result<branch_report> copy_for_log(file_system& files, const std::string& from,
                                   const std::string& to, const std::string& address,
                                   const cut_check& check);
/// As stream_backup(); its WORLD file comes last.
result<branch_report> stream_files(file_system& files, const std::string& from, backup_stream& to);

} // namespace mneme
