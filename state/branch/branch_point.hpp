#pragma once
/// The entry that a branch is asked for as of: by its number, or by a time.

#include <optional>
#include <string>

#include "mneme/ids.hpp"
#include "mneme/types.hpp"
#include "storage/file.hpp"

namespace mneme {

/// `at_seq`; or the last entry of the last frame that was whole at the time `at`, 0 before the
/// first. Nothing where neither is given; bad_value for both, bad_time for no time. A clock may
/// have gone back, so that a time costs a look at every frame.
result<std::optional<seq_no>> branch_point(file_system& files, const std::string& directory,
                                           const world_id& world, std::optional<seq_no> at_seq,
                                           std::optional<timestamp> at);

} // namespace mneme
