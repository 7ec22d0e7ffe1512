#pragma once
/// Reads entries of a journal back by their seqs. Ranges that ascend are one walk: what is behind
/// the place where the last one ended is not looked at again, and a frame is read once.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "journal/segment_walk.hpp"

namespace mneme {

class entry_reader {
public:
  /// Over the segments there are now.
  static result<entry_reader> open(file_system& fs, std::string dir, const world_id& world);

  /// Calls `visit` with the entries [first, first + count), in order; with fewer where the journal
  /// ends before. Every frame of them is checked.
  result<void> read(seq_no first, std::uint64_t count,
                    const std::function<void(const raw_entry&)>& visit);

private:
  explicit entry_reader(segment_walk walk) : walk_(std::move(walk)) {}
  /// Makes `frame_` the frame of `seq`; false if the journal ends before.
  result<bool> enter_frame_of(seq_no seq);

  segment_walk walk_;
  std::optional<journal_frame> frame_; ///< the last one read
};

} // namespace mneme
