#pragma once
/// Where a journal can be cut so that what stays is a journal: behind a frame, since a frame is
/// whole or not there. Reads prefixes and two frames; may run beside the writer.

#include <optional>
#include <string>
#include <vector>

#include "journal/journal.hpp"

namespace mneme {

struct journal_cut {
  seq_no at;                   ///< the last entry that stays
  std::vector<seq_no> full;    ///< segments that stay whole, which nobody appends to any more
  std::optional<seq_no> begun; ///< the segment behind them, of which only the first bytes stay
  std::uint64_t begun_bytes = 0;
  std::uint64_t entry_bytes = 0; ///< of these, up to the end of the frame of `at`
  digest entry_frame;            ///< hash of the frame of `at`, and so of all before it
  digest last_frame;             ///< of what stays, a seal included
  bool ends_with_seal = false;
  std::optional<digest> root; ///< that the journal records as of `at`; none behind its last frame
};

/// The cut behind the entry `at`, or behind the last whole frame. bad_value where a frame goes on
/// behind `at`, naming the seqs beside it that can be; seq_unavailable behind the end.
result<journal_cut> find_cut(file_system& fs, const std::string& dir, const world_id& world,
                             std::optional<seq_no> at);

/// What stands behind the bytes of the begun segment: a seal that carries the root, if it is known
/// and no seal stays; else nothing.
std::string seal_behind(const journal_cut& cut);

} // namespace mneme
