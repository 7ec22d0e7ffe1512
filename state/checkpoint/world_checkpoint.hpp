#pragma once
/// When rows and images of an open world go to its files, and what its end writes.

#include "state/world.hpp"

namespace mneme {

/// So many entries behind a checkpoint are replayed sooner than images are written.
inline constexpr std::uint64_t short_tail = 256;

/// More rows are in memory than `row_buffer_bytes`.
[[nodiscard]] bool needs_flush(const world& w);
/// Gives the store's files what is durable. Beside readers and the writer; never beside a
/// checkpoint.
result<void> flush_rows(world& w);
/// Writes the checkpoint, as write_checkpoint does, and remembers that the store matches it,
/// and where the leaves are.
result<void> write_checkpoint(world& w, const checkpoint_job& job);
/// In the ledger's turn, between two batches, when write_checkpoint is done: has the ledger read
/// the leaves where they were written. What gives way; freeing it takes its time.
leaf_layers settle_leaves(world& w);
/// So much journal between two checkpoints, where `least` is asked for; 0: none is made by itself.
/// Each writes all images, so that in a large world they come less often, up to 1 GiB: what they
/// write stays a multiple of what is written anyway.
[[nodiscard]] std::uint64_t journal_between_checkpoints(const world& w, std::uint64_t least);
/// Whether so much lies behind the checkpoint that a world which ends should write another.
[[nodiscard]] bool is_worth_a_checkpoint(world& w);

/// Seals the journal and checkpoints what is published, in the caller's thread. No other checkpoint
/// or flush is in progress.
result<void> checkpoint_world(world& w);

/// Seals the journal, checkpoints if that is worth it, and trims. The world must not be written
/// afterwards.
result<void> close_world(world& w);

} // namespace mneme
