#include "state/checkpoint/world_checkpoint.hpp"

#include <algorithm>
#include <utility>

#include "messages/ensure.hpp"
#include "state/checkpoint/world_directory.hpp"

namespace mneme {

bool needs_flush(const world& w) {
  return w.store->buffered_bytes() > w.row_buffer_bytes;
}

namespace {

/// WiredTiger does not outlive a full disk: it is given rows only where there is so much room.
std::uint64_t room_for_rows(const world& w) {
  constexpr std::uint64_t besides = 8ULL << 20;
  return 2 * w.store->buffered_bytes() + besides;
}

/// What is there is durable and whole without a seal or images, for which there may be no room.
result<void> unless_full(result<void> done) {
  return !done && done.error().code == errc::disk_full ? result<void>() : done;
}

} // namespace

result<void> flush_rows(world& w) {
  if (auto ok = check_room(*w.files, w.directory, room_for_rows(w)); !ok) return ok;
  if (w.store_matches) {
    if (auto ok = check_place(*w.files, w.directory, w.info.id); !ok) return ok;
    if (auto ok = distrust_store(*w.files, w.directory); !ok) return ok;
    w.store_matches = false;
  }
  return w.store->flush();
}

result<void> write_checkpoint(world& w, const checkpoint_job& job) {
  if (auto ok = w.wait_for_late(); !ok) return ok;
  const std::uint64_t room = room_for_rows(w);
  if (auto ok = check_room(*w.files, w.directory, room); !ok) return ok;
  w.store_matches = false;
  auto written =
      write_checkpoint(*w.files, w.directory, w.info.id, w.views(), job, w.mapped_images, room);
  if (!written) return propagate(written);
  w.fresh_images = std::move(*written);
  w.store_matches = true;
  w.lacks_images = false;
  return {};
}

leaf_layers settle_leaves(world& w) {
  if (!w.fresh_images) return {};
  auto fresh = std::exchange(w.fresh_images, std::nullopt);
  ensure(fresh->bytes > 0, "a checkpoint has images");
  std::erase_if(w.mapped_images,
                [](const mapped_image& image) { return image.name.ends_with(".leaves"); });
  if (fresh->leaves_image.is_whole) w.mapped_images.push_back(std::move(fresh->leaves_image));
  w.image_bytes = fresh->bytes;
  return w.leaves.settle(std::move(fresh->leaves));
}

std::uint64_t journal_between_checkpoints(const world& w, std::uint64_t least) {
  constexpr std::uint64_t part_of_images = 4;
  constexpr std::uint64_t most = 1ULL << 30; // what an open after a crash reads again
  return least == 0 ? 0 : std::max(least, std::min(most, w.image_bytes / part_of_images));
}

bool is_worth_a_checkpoint(world& w) {
  constexpr std::uint64_t small_tail = 1ULL << 20;
  const std::uint64_t last = w.published_seq().value;
  const std::uint64_t behind = last - w.checkpoint_seq;
  if (last == 0) return false;
  // Graphs that were built since would have to be built again after every open.
  if (w.generation()->is_whole() && w.vectors().has_unsaved_segments()) return true;
  // The journal would be read again for the places of its records, or for the leaves.
  if (w.lacks_images) return true;
  if (behind == 0) return false;
  // Files that were given what is not in the checkpoint would have to be looked at.
  const bool is_untouched =
      w.checkpoint_seq == 0 ? !w.store->has_flushed() : w.store_matches.load();
  return !is_untouched || behind > short_tail || w.store->buffered_bytes() > small_tail;
}

namespace {

/// Of what is published, and sealed in the journal.
result<void> checkpoint_sealed(world& w) {
  const seq_no last = w.published_seq();
  if (auto ok = w.store->set_stable(last); !ok) return ok;
  const checkpoint_job job{.file = {.seq = last,
                                    .node_count = w.nodes.size(),
                                    .next_slot = w.numbers.next_slot,
                                    .last_drawn_id = w.last_drawn_id,
                                    .last_entry_at = w.last_entry_at,
                                    .overall_root = w.ledger->roots().overall},
                           .ledger = snapshot_of_ledger(w)};
  if (auto ok = write_checkpoint(w, job); !ok) return ok;
  settle_leaves(w);
  w.checkpoint_seq = last.value;
  return {};
}

/// A seal that the log does not take is another leader's.
result<void> seal(world& w) {
  auto sealed = w.journal->append_seal(w.ledger->roots().overall);
  if (!sealed && w.journal->is_refused()) return {};
  return sealed;
}

} // namespace

result<void> close_world(world& w) {
  const seq_no last = w.journal->last_seq();
  ensure(w.ledger->roots().seq == last, "a world is closed when all owners have its last entry");
  if (auto ok = unless_full(seal(w)); !ok) return ok;
  if (auto ok = w.journal->sync(); !ok) return ok;
  if (is_worth_a_checkpoint(w))
    if (auto ok = unless_full(checkpoint_sealed(w)); !ok) return ok;
  return w.journal->trim();
}

result<void> checkpoint_world(world& w) {
  if (auto ok = seal(w); !ok) return ok;
  if (auto ok = w.journal->sync(); !ok) return ok;
  return checkpoint_sealed(w);
}

} // namespace mneme
