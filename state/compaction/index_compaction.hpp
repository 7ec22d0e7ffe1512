#pragma once
/// Indexes keep every state of a memory that some read can ask for, and those that none can any
/// more until they are made anew: a copy without them is built beside the writer, takes the batches
/// that came meanwhile, and replaces the index between two batches. Readers that hold the old one
/// finish with it. What is copied is what an image would hold, so a compacted index answers as one
/// that was opened again does.
///
///     (made)      between two batches: the copy will be as of that seq
///     build()     any thread: the copy
///     catch_up()  any thread: the batches since, in order
///     adopt()     between two batches, when no batch is missing

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "state/apply/apply.hpp"
#include "state/erasure/kept_content.hpp"
#include "state/world.hpp"

namespace mneme {

/// Which indexes hold so much that they do not need that a copy pays.
struct compaction_need {
  bool attributes = false; ///< and the places of the records, one for each row
  bool lexical = false;
  bool vectors = false;

  [[nodiscard]] bool any() const { return attributes || lexical || vectors; }
};

/// Of indexes that are at seq `at`, between two batches. O(1): what is needed is the last state of
/// each memory and, of those before it, at most as many as the window has seqs. A copy is worth it
/// where there is more than half of that again, and world_options::compaction_states: it costs
/// about as much for each state that it keeps as writing that did, hence twice that for each write.
compaction_need needed_compaction(world& w, seq_no at);

class index_compaction {
public:
  /// Between two batches; the indexes are at seq `at`. Until it is built, what reads from there
  /// back to the window's start need must be retained.
  index_compaction(world& w, const compaction_need& need, seq_no at);

  /// Before build(), and of copies of all three: contents that something else is in place of.
  void replace(replaced_contents contents) { replaced_ = std::move(contents); }
  [[nodiscard]] bool is_built() const { return built_; }
  /// Once. May run beside the writer of the old indexes, and readers.
  void build();
  /// After build(). The batches that follow what the copies have.
  void catch_up(std::span<const std::shared_ptr<const commit_batch>> batches);
  /// Whether so little is missing that what waits for it waits no longer; otherwise the batches
  /// since are caught up with beside the writer once more. After some rounds it is so whatever is
  /// missing: who writes as fast as that, or in large batches, would never be caught up with.
  [[nodiscard]] bool is_close(std::size_t missing_entries) const;
  /// Between two batches, when the copies have all of them: readers and writers go on with the
  /// copies. What they replace goes with this object, or with its last reader.
  void adopt(world& w);

private:
  void copy_places();

  const compaction_need need_;
  const seq_no at_;
  seq_no has_; ///< what the copies have
  bool built_ = false;
  int rounds_ = 0; ///< of catching up
  std::shared_ptr<const index_generation> old_;
  index_generation fresh_{};
  replaced_contents replaced_;
  row_no next_old_{0}; ///< the old rows before it have left their places
};

/// All of it at once, in the caller's thread, if it is needed. For recovery and replay.
void compact_if_needed(world& w, seq_no at);

} // namespace mneme
