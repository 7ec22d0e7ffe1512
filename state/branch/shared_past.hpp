#pragma once
/// The last entry that two branches of a world have in common, by the chain of frames: where one
/// frame is the same, all before it are.

#include <string>

#include "mneme/ids.hpp"
#include "storage/file.hpp"

namespace mneme {

/// At most `before`. Looks at heads of segments first, then at the frames of one segment.
result<seq_no> find_common(file_system& files, const world_id& world, const std::string& a,
                           const std::string& b, seq_no before);

} // namespace mneme
