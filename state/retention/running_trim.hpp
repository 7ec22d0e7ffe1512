#pragma once
/// A trim of a world that goes on meanwhile. Its entry is committed like any other; all that takes
/// time is done beside the writer, some of it at a time:
///
///     note TRIMMING, durable             from here on the next open finishes what is broken off
///     journal: a new segment, which begins with the trim's entry, durable
///     segments before it: written anew beside and renamed, one by one
///     of a log that this process leads: likewise its frames, some at a time; then the note goes
///     store: new files are made from the journal, and take the batches since
///     between two batches: readers get the new files, and places of records in the new segments;
///                          the read window begins at the trim's point
///     CHECKPOINT and images: of then; those of before are not opened any more, since a trim
///     follows
///
/// Until readers get the new files they have all that there was: old places name files that are
/// open, and what they do not find there the store has.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "journal/trim_payloads.hpp"
#include "mneme/retention.hpp"
#include "state/apply/apply.hpp"
#include "state/retention/trim_end.hpp"
#include "state/world.hpp"

namespace mneme {

class running_trim {
public:
  using batches = std::span<const std::shared_ptr<const commit_batch>>;
  using reply = std::function<void(result<trim_end>)>;

  running_trim(world& w, journaled_trim by, reply answer);
  /// Of which nothing is left to do but in the log, which another process led when it was broken
  /// off.
  static std::shared_ptr<running_trim> left_in_log(world& w, journaled_trim by);
  ~running_trim();
  running_trim(const running_trim&) = delete;
  running_trim& operator=(const running_trim&) = delete;

  // Between two batches, its entry is published, and nobody goes on with it.
  /// Nothing is copied: is_rewritten() is its end.
  [[nodiscard]] bool is_of_log_alone() const { return is_of_log_alone_; }
  /// No segment has anything more of what is dropped, and nothing is copied yet.
  [[nodiscard]] bool is_rewritten() const { return stage_ == stage::rewritten; }
  /// Copies will be as of `at`, which is published; batches behind it are given to go_on().
  void begin_copies(seq_no at);
  [[nodiscard]] bool takes_batches() const { return copied_at_.has_value(); }
  /// All but those batches are copied: now they can be given.
  [[nodiscard]] bool is_copied() const { return stage_ == stage::copied; }
  /// Whether so little is missing that what waits for it waits no longer.
  [[nodiscard]] bool is_close(std::size_t missing_entries) const;
  /// The copies take the place of what they are of. Nothing is flushed, imaged or compacted. A
  /// failure of the journal is final, as any of its.
  result<void> adopt(batches missed);
  /// In place of that, of a world that goes on: the rest is for who opens it next.
  void leave();
  /// Once. Also when the world is gone.
  void answer(const result<void>& outcome);

  /// Those that the world does not use any more: to close them takes its time.
  [[nodiscard]] std::shared_ptr<void> take_old_files() { return std::move(old_files_); }

  // Any one thread in between.
  /// A part of what is left to do. Precondition: not is_rewritten().
  result<void> go_on(batches missed);

private:
  enum class stage : std::uint8_t { rewriting, rewritten, copying, copied };

  result<void> rewrite_next();
  result<bool> drop_in_log();
  result<void> copy_some();
  result<void> catch_up(batches missed);
  void copy_places();
  void adopt_places();
  void drop_copies();
  void move(std::uint64_t segment, std::uint64_t& offset) const;

  world& world_;
  journaled_trim by_;
  reply answer_;
  stage stage_ = stage::rewriting;
  bool is_of_log_alone_ = false;
  std::optional<std::vector<seq_no>> segments_;   ///< that are left
  std::map<std::uint64_t, moved_payloads> moved_; ///< by the first seq of their segment
  std::uint64_t bytes_before_ = 0;                ///< of the segments that were written anew
  std::uint64_t bytes_ = 0;
  std::uint64_t journal_bytes_ = 0;
  std::shared_ptr<log_store> log_;       ///< a connection of its own
  std::optional<journaled_trim> in_log_; ///< what goes from there
  std::uint64_t done_in_log_ = 0;        ///< frames
  std::optional<seq_no> copied_at_;
  std::optional<store_filler> filler_;
  std::optional<fresh_store> fresh_;
  int rounds_ = 0; ///< of catching up
  std::vector<std::uint64_t> numbered_segments_;
  std::shared_ptr<record_places> places_;
  std::shared_ptr<void> old_files_; ///< of the store
};

/// In the caller's thread, beside a running world: plans a trim, and has `commit` do it, which
/// gives the answer of the committer. Plans once more where something was erased meanwhile.
result<trim_report>
trim_running(world& w, const trim_options& options,
             const std::function<result<trim_end>(trim_payload, seq_no planned_at)>& commit);

} // namespace mneme
