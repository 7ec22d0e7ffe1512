#pragma once
/// Recovery: owners that stand where their images and the store's files left them are brought to
/// the end of the journal, every root that it records on the way compared.

#include <optional>
#include <span>
#include <string>

#include "state/world.hpp"

namespace mneme {

/// Loads what the checkpoint offers; answers the seq that the indexes are at (0: nothing loaded,
/// and the world must be thrown away). Without `use_leaves` the ledger is not among it.
/// `may_be_late`: nothing is to be replayed, and words and vectors are loaded when they are needed.
seq_no load_checkpoint(world& w, const std::optional<checkpoint_file>& checkpoint, bool use_leaves,
                       bool may_be_late);

/// What a recovery that failed found wrong with what is derived from the journal.
struct recovery_findings {
  bool leaves_failed = false;      ///< those of the image may be others than its ledger says
  bool erasure_unfinished = false; ///< images and store may have what was erased
};

/// Brings every owner to the end of the journal; the indexes stand at `loaded`. `is_after_erasure`:
/// images and store were removed for an erasure that had not ended.
result<void> recover(world& w, seq_no loaded, bool is_after_erasure, recovery_findings& found);

/// corrupt if the journal is damaged before the checkpoint, where nothing is replayed: nobody
/// should build on that. One of 64 MiB at most is read from its start; what is before the
/// checkpoint in a longer one is looked at by verify.
result<void> check_older(const world& w, seq_no replayed_from);

/// corrupt unless the entries of a journal's frame follow from the state at `before`, which is that
/// of the frame before it; the store is there or further, the node table too.
result<void> check_entries(world& w, const journal_frame& frame, std::span<const entry> entries,
                           seq_no before);

/// Before the entries of a frame of the journal in `directory` are applied: the indexes, which
/// stand at `have` or behind, get what a trim carries to where the frame begins.
result<void> carry_trimmed(world& w, file_system& files, const std::string& directory,
                           const journal_frame& frame, seq_no have);

} // namespace mneme
