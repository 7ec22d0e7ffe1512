#pragma once
/// A world opened (state/open_world.hpp): every owner's core, recovered to the end of the journal.
/// No actors and no threads here (but the vector index's builder, and who loads late indexes): the
/// actors move messages between these cores, and replay drives them directly through the same
/// functions.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "journal/frame_places.hpp"
#include "journal/journal.hpp"
#include "journal/ledger.hpp"
#include "mneme/recovery.hpp"
#include "mneme/seams.hpp"
#include "state/apply/apply.hpp"
#include "state/apply/capacity.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_file.hpp"
#include "state/commit/feed_head.hpp"
#include "state/commit/full_disk.hpp"
#include "state/commit/log_standing.hpp"
#include "state/commit/stop_cause.hpp"
#include "state/embedding/embed_status.hpp"
#include "state/inspection/world_counts.hpp"
#include "state/recovery/store_files.hpp"
#include "state/retention/trim_follower.hpp"
#include "storage/file.hpp"
#include "storage/kv_store.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// What trims left in the log, for being young, of entries that were erased since.
struct owed_drop {
  journaled_trim by;
  std::vector<seq_no> erased;
};

struct world {
  world_file info;
  std::string directory;
  std::shared_ptr<file_system> files;
  std::unique_ptr<directory_lock> lock;
  std::shared_ptr<mneme::embedder> embedder; ///< null = none
  std::shared_ptr<token_counter> tokens;
  std::shared_ptr<const key_resolver> keys; ///< null = no scope is taken
  std::shared_ptr<clock> time;              ///< of reads; null = that of the last entry

  search_weights search;
  std::optional<lifecycle_audience> audience;
  std::uint64_t max_answer_bytes = 0;
  std::uint64_t compaction_states = 0;
  std::uint64_t leaf_cache_bytes = 0;
  std::uint64_t row_buffer_bytes = 0;

  node_table nodes;
  mneme::graph graph{nodes};
  mneme::graph order{nodes};   ///< those of views/order_edges.hpp alone
  mneme::graph lineage{nodes}; ///< those of views/lineage_edges.hpp alone
  std::unique_ptr<buffered_store> store;
  store_source store_files; ///< of it
  record_cache records;
  std::unique_ptr<mneme::journal> journal;
  leaf_table leaves; ///< of the ledger
  std::unique_ptr<mneme::ledger> ledger;
  /// What the checkpoint that was written last made, until the leaves settle on it.
  std::optional<written_images> fresh_images{};
  std::uint64_t image_bytes = 0; ///< of the last checkpoint's images
  std::shared_ptr<void> lease;   ///< of the log that is led, while the world is opened; else null
  std::shared_ptr<log_standing> standing; ///< on that log; null: the world is on none
  std::function<result<std::shared_ptr<log_store>>()> connect_log; ///< likewise

  numbering numbers;
  dense_numbers limits = dense_numbers_max; ///< fewer in tests
  memory_id last_drawn_id;
  /// Of a copy as it was before an erasure: what was erased behind it (state/erasure).
  mneme::erased_elsewhere erased_elsewhere;
  timestamp last_entry_at; ///< created_at of the last entry; zero in an empty world
  std::atomic<std::uint64_t> checkpoint_seq{0};
  std::atomic<std::uint64_t> queued{0}; ///< commands that wait for the committer
  /// CHECKPOINT says that the store's files match it. Of whoever writes them: first the opening,
  /// then the checkpointer.
  std::atomic<bool> store_matches{false};
  /// A payload that was read when the world was opened, or copied, is erased.
  bool has_erased = false;
  bool has_trimmed = false; ///< likewise contents that a trim has dropped
  /// The last entries that were replayed erase or trim: a checkpoint is to say that this is done.
  bool ends_with_erasure = false;
  /// What a journal that is replayed lacks.
  trim_follower trims;
  /// The journal was read for them. Of whoever opens or seals the world.
  bool lacks_images = false;
  /// The last entry of this process that erased or trimmed; 0: none has.
  std::atomic<std::uint64_t> last_drop{0};
  /// The point of a trim whose rest is for who opens it next: no later one has an earlier point.
  seq_no left_trim;
  /// Of which segments here still have what it drops: its note is for the next open then.
  bool has_left_segments = false;
  /// What trims left in the log of what was erased since, and an erasure could not take from there.
  std::vector<owed_drop> owed_drops;
  std::atomic<bool> closes{false}; ///< what is looked for in the background is of no use any more
  /// What its owners were loaded from. What compaction puts in their place is made of it.
  std::vector<mapped_image> mapped_images;
  open_report report;
  std::shared_ptr<late_store_problem> late_problem = std::make_shared<late_store_problem>();
  embed_status embedding; ///< of a remote embedder
  stop_cause stopped;
  full_disk disk_full;
  read_window window;
  feed_head feed;            ///< of the change feed
  frame_places frame_starts; ///< that readers of the feed came by

  world(const vector_index_options& vector_options, std::uint64_t record_cache_bytes);
  /// A write was refused as disk_full, or a checkpoint.
  void found_no_room(std::string why);
  /// Why the newest write was refused; empty once one was taken, or there is room again.
  [[nodiscard]] std::string why_disk_full() const;
  [[nodiscard]] bool follows() const { return standing != nullptr && standing->follows(); }
  /// What a reader needs, from any thread. It keeps the indexes that are there now.
  [[nodiscard]] read_views views();
  /// The indexes that compaction replaces. They are for who applies batches, and for who comes
  /// between two of them: anybody else has views().
  [[nodiscard]] mneme::attributes& attributes() { return *generation_->attributes; }
  [[nodiscard]] record_places& places() { return *generation_->places; }
  [[nodiscard]] journaled_records& journaled() { return *generation_->journaled; }
  /// These two behind wait_for_late(), by which damage is heard of: here it ends the process.
  [[nodiscard]] mneme::lexical& lexical() { return *whole().lexical; }
  [[nodiscard]] mneme::vectors& vectors() { return *whole().vectors; }
  /// From any thread. `corrupt` if they were left for later and their images are damaged: the
  /// writer takes no more writes then, and who opens the world again has them made anew.
  [[nodiscard]] result<void> wait_for_late() const { return generation()->wait_for_late(); }
  [[nodiscard]] std::shared_ptr<const index_generation> generation() const;
  /// Between two batches: readers that begin from now on read these. They have what was published.
  void adopt(index_generation fresh);
  /// How many dense numbers are taken. Between two batches.
  [[nodiscard]] dense_numbers numbers_taken();
  /// Makes everything up to `seq` visible; the ledger stands at `seq`.
  void publish(seq_no seq);
  /// Lets the indexes forget what reads from `seq` back to the window's start do not need.
  void retain_before(seq_no seq);
  /// The roots as of the published seq; from any thread.
  [[nodiscard]] root_set published_roots() const;
  /// What it holds as of the published seq, but for vectors that are not there yet; from any
  /// thread.
  [[nodiscard]] world_counts published_counts() const;
  /// What opening repaired, and what was found when the store's files were opened since.
  [[nodiscard]] open_report opened() const;
  [[nodiscard]] seq_no published_seq() const { return window.published(); }
  [[nodiscard]] result<seq_no> readable(std::optional<seq_no> at) const {
    return window.readable(at);
  }

private:
  [[nodiscard]] const index_generation& whole() const {
    if (!generation_->is_whole()) generation_->late->ensure_there();
    return *generation_;
  }
  /// After the batch that ends at `seq`.
  [[nodiscard]] world_counts counts(seq_no seq) const;

  mutable std::mutex generation_guard_;
  std::shared_ptr<const index_generation> generation_;
  mutable std::mutex published_guard_;
  root_set published_roots_;
  world_counts published_counts_;
  bool counts_lack_vectors_ = false; ///< which were late when they were published
};

/// What of these entries' ids was drawn is drawn no more.
void note_drawn_ids(world& w, std::span<const entry> entries);
/// From a trim's point on a world knows its history.
void note_trims(world& w, std::span<const entry> entries);

/// Gives the ledger and its leaves the entries. On error nothing changed.
result<void> apply_to_ledger(world& w, std::span<const entry> entries);
/// In the ledger's turn, between two batches; one is written at a time.
ledger_snapshot snapshot_of_ledger(world& w);
/// Gives every index what it takes of the entries, in the caller's thread.
void apply_to_indexes(world& w, std::span<const index_delta> deltas);

/// Commits entries as one frame in the caller's thread: journal, ledger, store, indexes, publish.
/// What the actors do by message; used by replay. `sync` makes it durable before it returns.
result<void> commit_directly(world& w, std::vector<entry> entries, bool sync);

} // namespace mneme
