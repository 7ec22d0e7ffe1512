#pragma once
/// Reads the frames of a journal that is being written, as far as it was published, from a place
/// that is known.

#include <string>

#include "journal/frame_places.hpp"

namespace mneme {

struct frame_range {
  seq_no from; ///< the first frame is that which holds it
  seq_no last; ///< the last frame is that which holds it: it is there whole
};

/// Calls `visit` with each frame of the range in order, each checked, until it returns false. Notes
/// where frames begin. busy where payloads were changed in place meanwhile: to be tried again.
result<void> scan_frames(file_system& fs, const std::string& dir, const world_id& world,
                         const frame_range& range, frame_places& places,
                         const frame_visitor& visit);

} // namespace mneme
