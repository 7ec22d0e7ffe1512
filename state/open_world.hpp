#pragma once
/// How a world is opened: made, or brought from its last checkpoint to the end of its journal.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "journal/journal.hpp"
#include "mneme/seams.hpp"
#include "state/checkpoint/world_file.hpp"
#include "state/recovery/store_files.hpp"
#include "state/world.hpp"

namespace mneme {

/// The log that a world is kept in, and how this process becomes its leader, or follows.
struct world_log {
  std::string address; ///< as the directory keeps it
  /// Set: the world is opened as of where the log ends, and follows from there; else it is led.
  std::shared_ptr<log_store> follow{};
  /// Asked once, when the directory is this process's.
  std::function<result<std::shared_ptr<log_leader>>()> lead{};
  /// What keeps the lease of that epoch for its life. Null: nothing does.
  std::function<std::shared_ptr<void>(log_epoch)> keep{};
  /// A connection of its own, for what takes its time beside the writer. Null: there is none.
  std::function<result<std::shared_ptr<log_store>>()> connect{};
  std::shared_ptr<log_standing> standing{}; ///< of this process; as `follow` says
};

inline constexpr std::uint64_t all_seqs_retained = ~0ULL;

struct world_options {
  std::string directory;
  std::shared_ptr<file_system> files;
  store_source store; ///< of the world: its files may be elsewhere, or nowhere
  bool create = true;
  world_file fresh;                           ///< what a new world becomes
  std::optional<world_log> log{};             ///< that the directory is a copy of; of `fresh`
  std::shared_ptr<mneme::embedder> embedder;  ///< a host's own; else made from the WORLD file
  remote_embedder_factory remote_embedders{}; ///< for the latter, of an endpoint's spec
  std::string embedder_key{};                 ///< for that one
  std::shared_ptr<token_counter> tokens;
  std::shared_ptr<const key_resolver> keys{}; ///< null = no scope is taken
  std::shared_ptr<clock> time{};              ///< of reads; null = that of the last entry
  journal_options journal;
  vector_index_options vectors;
  std::optional<lifecycle_audience> audience{}; ///< of searches that name none
  std::uint64_t retained_seqs = 100'000;        ///< at_seq window
  std::uint64_t max_answer_bytes = 64ULL << 20;
  /// So many states of memories that no read needs are worth a compaction (state/compaction/).
  std::uint64_t compaction_states = 512;
  std::uint64_t record_cache_bytes = 64ULL << 20;
  std::uint64_t leaf_cache_bytes = default_leaf_cache_bytes;
  /// Rows that the store's files do not have yet: beyond, they are given what is durable.
  std::uint64_t row_buffer_bytes = 32ULL << 20;
  /// Words and vectors may be loaded behind the opening, where nothing is to be replayed: by whom
  /// world::generation()->late is told to, or who needs them first.
  bool may_load_late = false;
  /// Who has the same files open has looked at what is before the checkpoint.
  bool is_checked_before = false;
};

/// Opens or creates the world and recovers it: last stable checkpoint plus the journal's tail,
/// every recorded root on the way checked. A store that is missing, damaged or does not fit is made
/// anew from the journal, if the journal is sound (report.store_rebuilt); else nothing is touched.
result<std::unique_ptr<world>> open_world(const world_options& options);

} // namespace mneme
