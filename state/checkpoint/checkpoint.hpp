#pragma once
/// Checkpoints: one immutable image file per index and for the ledger, all as of one seq, and the
/// store's own. The CHECKPOINT file names the images and is replaced when they are there; what it
/// does not name is removed. Then the store's files are brought to the same seq, and CHECKPOINT
/// says that they are, so that whoever opens the world need not look. A missing or damaged image
/// costs a replay of the journal, never a wrong answer.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "journal/ledger.hpp"
#include "mneme/ids.hpp"
#include "state/checkpoint/checked_load.hpp"
#include "state/checkpoint/leaf_image.hpp"
#include "storage/file.hpp"
#include "views/journaled_records.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// The CHECKPOINT file: "MNEMECKP" ‖ canonical array ‖ SHA-256.
struct checkpoint_file {
  seq_no seq;
  std::uint32_t node_count = 0;
  std::uint32_t next_slot = 0;
  memory_id last_drawn_id;
  timestamp last_entry_at;
  digest overall_root;
  /// The store's files hold what was up to `seq`, and nothing that came later. False: they may hold
  /// less or more, and must be looked at.
  bool store_matches = false;
  /// What each image checks itself by, so that none but the one that was written is taken; in a
  /// fixed order. Empty: a checkpoint of before, which does not say.
  std::vector<std::uint32_t> image_sums{};

  friend bool operator==(const checkpoint_file&, const checkpoint_file&) = default;
};
std::string encode(const checkpoint_file& c);
result<checkpoint_file> decode_checkpoint_file(std::string_view bytes);

/// The ledger between two batches.
struct ledger_snapshot {
  frozen_ledger rest; ///< all but the leaves
  leaf_layers leaves;
  mneme::leaf_counts leaf_counts{};
};

/// What must be fixed at the frame barrier; the rest is read beside the writer.
struct checkpoint_job {
  checkpoint_file file;
  ledger_snapshot ledger;
};

/// An image that parts of the indexes or of the ledger lie in, in the map of its file.
struct mapped_image {
  std::string name;
  /// Reads the file that is mapped, which by now may have another name or none: is it still as it
  /// was when its sums were found right?
  std::function<bool()> is_whole;
};

/// What a checkpoint has made.
struct written_images {
  std::uint64_t bytes = 0;   ///< of all images
  leaf_base leaves;          ///< of the snapshot: its table settles on them
  mapped_image leaves_image; ///< which they lie in
};

/// Paths inside a world's directory.
std::string world_path(const std::string& dir);
std::string checkpoint_path(const std::string& dir);
std::string journal_directory(const std::string& dir);
std::string store_directory(const std::string& dir);
/// The names in a world's directory that its store may have, which it takes in turn.
std::vector<std::string> store_names();
/// Those of them that are there: one, but for what a crash left.
result<std::vector<std::string>> store_names(file_system& files, const std::string& dir);
std::string image_directory(const std::string& dir);

/// Writes all images as of job.file.seq (one of the same seq knows its own no more by their sums
/// from then on), then the CHECKPOINT file, removes older images, and then makes the store's
/// checkpoint and says so in CHECKPOINT. The caller has set the store's stable seq to job.file.seq
/// and keeps it there until this returns. Runs beside readers and the writer.
///
/// corrupt if one of `mapped`, which are all that the owners were loaded from, is not whole any
/// more: what is in memory may be wrong then, and is given no images, whose sums would be right.
/// disk_full: for lack of room for an image, or of `store_room` bytes for the store, which is left
/// as it is then.
result<written_images> write_checkpoint(file_system& fs, const std::string& dir,
                                        const world_id& world, const read_views& views,
                                        const checkpoint_job& job,
                                        std::span<const mapped_image> mapped,
                                        std::uint64_t store_room);

/// Removes CHECKPOINT and then all images: the next open makes everything from the journal.
result<void> remove_images(file_system& fs, const std::string& dir);

/// The file names of the images that it names, in their directory.
std::vector<std::string> image_files(const checkpoint_file& checkpoint);

/// Before the store's files are given what no checkpoint has: CHECKPOINT, if there is one, no more
/// says that they match.
result<void> distrust_store(file_system& fs, const std::string& dir);

/// The newest checkpoint that stands; nullopt if there is none.
result<std::optional<checkpoint_file>> read_checkpoint(file_system& fs, const std::string& dir);

/// corrupt if the journal's first segment or its head is missing: a world has both before it has
/// its WORLD file.
result<void> check_journal_begins(file_system& fs, const std::string& dir, const world_id& world);

/// corrupt if the journal does not begin, or ends before the seq that the checkpoint was taken at:
/// whatever reads the journal alone must not answer from what is left of it.
result<void> check_journal_reaches_checkpoint(file_system& fs, const std::string& dir,
                                              const world_id& world);

struct index_owners {
  node_table& nodes;
  mneme::attributes& attributes;
  mneme::graph& graph;
  mneme::graph& order;
  mneme::graph& lineage;
  std::shared_ptr<mneme::lexical> lexical;
  std::shared_ptr<mneme::vectors> vectors;
  record_places& places;
  journaled_records& records;
};

/// Loads the index images of `checkpoint` into empty owners, where the journal has the records, and
/// the image of the ledger, if there is one to load, side by side. On any failure of an index the
/// owners must be thrown away.
struct loaded_images {
  /// False: there was none, or it or its leaves are missing, damaged or do not fit.
  bool has_ledger = false;
  leaf_base leaves{};                 ///< with a ledger
  std::uint64_t bytes = 0;            ///< of all images that were found
  bool has_places = false;            ///< likewise; `places` and `records` then stayed as they were
  std::vector<mapped_image> mapped{}; ///< those that owners use where they lie
  std::vector<image_load> late{};     ///< of words and vectors, if they may be
};
/// `may_be_late`: words and vectors stay empty until who loads them does. Their images are there,
/// of the world and those that the checkpoint names; whether they are whole is known then.
result<loaded_images> load_images(file_system& fs, const std::string& dir, const world_id& world,
                                  const checkpoint_file& checkpoint, const index_owners& owners,
                                  ledger* ledger, bool may_be_late);

} // namespace mneme
