#pragma once
/// Erasing in the segments of a journal: the payloads of entries become zeros of the same length,
/// in place, in whichever segment they stand. Headers, chain and roots are what they were. A
/// segment that has names in other worlds' directories is copied first: what they have is theirs to
/// erase.

#include <span>
#include <string>
#include <vector>

#include "journal/journal.hpp"

namespace mneme {

/// As erasures are named: ascending, each once.
std::vector<seq_no> each_once(std::vector<seq_no> seqs);

/// Of entries that the journal in `dir` has; `seqs` ascend. Durable when it returns. A call that
/// was broken off can be made again: nothing that it looks at is in a payload. A reader beside it
/// may find one that is half erased, which its checksum shows.
result<void> erase_payloads(file_system& fs, const std::string& dir, const world_id& world,
                            std::span<const seq_no> seqs);

/// What the journal's last frame with entries erases, by its bytes alone: until a checkpoint of
/// `at` says that it is done, the payloads may not be zeros yet. No seqs if it is no such frame.
struct last_erasure {
  std::vector<seq_no> seqs;
  seq_no at;            ///< of the frame's last entry
  bool is_trim = false; ///< it drops payloads, likewise
};
result<last_erasure> erased_by_last(file_system& fs, const std::string& dir, const world_id& world);
/// What the frame erases, ascending; nothing unless its entries say so.
result<std::vector<seq_no>> erased_by(const journal_frame& frame);

} // namespace mneme
