#pragma once
/// The last entry that two branches of a world have in common, by the chain of frames: where one
/// frame is the same, all before it are.

#include <string>

#include "mneme/ids.hpp"
#include "storage/file.hpp"

namespace mneme {

struct world_place {
  file_system& files;
  std::string directory;

  /// The same files.
  friend bool operator==(const world_place& a, const world_place& b) {
    return &a.files == &b.files && a.directory == b.directory;
  }
};

/// At most `before`. Looks at heads of segments first, then at the frames of one segment.
result<seq_no> find_common(const world_place& a, const world_place& b, const world_id& world,
                           seq_no before);

} // namespace mneme
