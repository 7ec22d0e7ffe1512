#pragma once
/// The end of an erasure: nothing of it is left in memory but what a reader still holds, nor on the
/// disk.
///
///     journal: erase entries, durable      a crash from here on: open_world does the rest
///     journal: zeros in place of the payloads that they name
///     published: readers see stubs
///     indexes: copies without what was erased take their place
///     CHECKPOINT and images: they go
///     store: the old files go, new ones are made from the journal
///     CHECKPOINT and images: of then

#include <functional>
#include <vector>

#include "state/apply/apply.hpp"
#include "state/world.hpp"

namespace mneme {

/// What a batch erases.
struct erased_parts {
  std::vector<seq_no> seqs;      ///< of entries whose payloads go; ascending, each once
  std::vector<memory_id> topics; ///< that stay, and lose a field

  /// It is not of an erasure.
  [[nodiscard]] bool empty() const { return seqs.empty(); }
};
erased_parts erased_by(const commit_batch& batch);

/// Of `known`, which is of the world or a copy of that: what is left of fields whose topics are
/// erased themselves goes, also from the note.
result<void> forget_fields_of_erased(world& w, erased_elsewhere& known);

/// Bytes that must be free, at most, for the end of an erasure: what is broken off for lack of room
/// stops the engine.
[[nodiscard]] std::uint64_t room_for_erasure(const world& w);

/// All that is left to do of an erasure that every owner has and that is durable in the journal:
/// zeros in place of `erased`, `publish`, nothing of it in memory and in the store, a checkpoint.
/// Nobody copies indexes, flushes or checkpoints beside it. In the caller's thread: it costs what
/// copying the indexes costs, reading the journal for the store's files, and a checkpoint. What
/// fails here the next open finishes.
result<void> finish_erasure(world& w, const erased_parts& erased,
                            const std::function<void()>& publish);

} // namespace mneme
