#pragma once
/// What a directory holds: a world, none, or what is left of one.

#include <string>
#include <string_view>

#include "state/checkpoint/world_file.hpp"
#include "storage/file.hpp"

namespace mneme {

/// The WORLD file of a directory. What `no_world` says if there is none; corrupt,
/// format_unsupported.
result<world_file> read_world_file(file_system& files, const std::string& directory);

/// io if the directory of an open world was moved away or removed, or another world is there now:
/// it is not made anew, and what is in its place is left as it is. What the world holds open it may
/// go on with; this is asked before anything is opened, made or removed by its name.
result<void> check_place(file_system& files, const std::string& directory, const world_id& world);

/// Why a directory without a WORLD file cannot be opened: not_found, or corrupt where there is a
/// journal that lost it.
error no_world(file_system& files, const std::string& directory);

/// A file that says that a world is being made here of another one. With a WORLD file beside it it
/// means nothing: that is written last.
inline constexpr std::string_view unfinished_name = "UNFINISHED";
std::string unfinished_path(const std::string& directory);

/// corrupt if the directory's journal has entries. A new world is made where it has none.
result<void> check_no_journal(file_system& files, const std::string& directory);

/// True if the directory's journal holds nothing, or what a world leaves that was never finished: a
/// first segment without a frame.
result<bool> is_journal_unwritten(file_system& files, const std::string& directory);

} // namespace mneme
