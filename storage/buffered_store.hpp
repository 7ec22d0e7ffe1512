#pragma once
/// A store whose newest rows are in memory, in front of one that has files. A batch costs what it
/// takes to sort it in; the files get the rows later, many at once and in key order. The files are
/// opened when something is asked for that is not in memory: a world whose rows all are never does.
///
///     apply ──► active ─ rotate ─► resting … ─ flush ─► files
///     read  ──► active, then resting, newest first, then files
///
/// What is in memory goes with the process, as what is in a store's files since its last checkpoint
/// does: the journal has it.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "storage/kv_store.hpp"
#include "storage/row_buffer.hpp"

namespace mneme {

class buffered_store final : public kv_store {
public:
  /// Gives the store with files, which then is this one's. Called once, from any thread.
  using opener = std::function<result<std::unique_ptr<kv_store>>()>;

  /// What the files are known to hold without a look at them.
  struct known_files {
    seq_no at{}; ///< they hold all up to here, and what is newer is given to apply() again
    bool is_empty = false; ///< nothing: they need not be read
  };

  /// Over files that are opened when they are needed.
  buffered_store(opener open_files, known_files known);
  /// Over a store that is open.
  explicit buffered_store(std::unique_ptr<kv_store> files);
  ~buffered_store() override;

  result<std::unique_ptr<kv_reader>> reader() override;
  result<void> apply(const std::vector<kv_write>& writes, seq_no commit) override;
  result<void> set_stable(seq_no stable) override;
  /// Flushes, and has the files make it last.
  result<void> checkpoint() override;
  [[nodiscard]] seq_no recovered() const override { return recovered_; }
  [[nodiscard]] std::optional<error> stopped() const override;
  /// Nothing is flushed meanwhile.
  result<void> visit_checkpoint(const file_visitor& visit) override;
  result<void> verify() override;

  /// Gives the files what is stable, and frees the memory of what they have. Beside readers and the
  /// writer. What is not stable yet stays in memory. A failure is final for flushes and
  /// checkpoints, since the files may have a part; reads go on.
  result<void> flush();
  /// The files have been given rows, by this store or before it.
  [[nodiscard]] bool has_flushed() const { return !now()->files_are_empty; }
  /// What all rows in memory hold.
  [[nodiscard]] std::uint64_t buffered_bytes() const;
  /// The files, opened if they were not. Their failure is final.
  result<kv_store*> files();
  /// Other files take the place of those that it has, which `when_closed` is called after, once no
  /// read of before goes on; what is in memory is forgotten. The new ones are opened when they are
  /// needed, and then hold what was applied, all of which is stable. No flush, checkpoint or apply
  /// is in progress. What this gives keeps the old ones open, since to close them takes its time.
  std::shared_ptr<void> renew(opener open_files, std::function<void()> when_closed);

private:
  friend class buffered_reader;

  /// A buffer that is full or was when a flush began: nobody writes to it.
  struct resting_buffer {
    std::shared_ptr<const row_buffer> rows;
    seq_no last; ///< the newest commit in it
  };
  /// Where rows are; replaced as a whole, so that readers have all or nothing of a change.
  struct places {
    std::shared_ptr<row_buffer> active;
    std::vector<resting_buffer> resting; ///< oldest first
    bool files_are_empty = false;
  };

  /// Files while somebody reads or writes them.
  struct held_files {
    std::shared_ptr<kv_store> store;
    std::function<void()> when_closed{};

    explicit held_files(std::shared_ptr<kv_store> its) : store(std::move(its)) {}
    held_files(const held_files&) = delete;
    held_files& operator=(const held_files&) = delete;
    ~held_files() {
      store->close();
      if (when_closed) when_closed();
    }
  };

  [[nodiscard]] result<void> usable() const;
  result<std::shared_ptr<held_files>> hold_files();
  [[nodiscard]] std::shared_ptr<const places> now() const;
  void replace(std::shared_ptr<const places> next);
  /// The active buffer rests from now on, if there is something in it.
  void rotate();
  /// flush(), under its mutex.
  result<void> flush_locked();
  /// Into the files: what the buffers have of the commits in (flushed_, through].
  result<void> write_rows(kv_store& files, const places& from, seq_no through);

  opener open_files_;
  seq_no recovered_;
  std::atomic<std::uint64_t> last_commit_;

  std::mutex files_mutex_; ///< opening
  /// Those of before too: who asks whether they have stopped holds nothing.
  std::vector<std::shared_ptr<kv_store>> owned_;
  std::shared_ptr<held_files> files_;
  std::atomic<kv_store*> opened_files_{nullptr};
  std::atomic<std::uint32_t> renewals_{0};
  mutable std::mutex problem_mutex_;
  std::optional<error> problem_; ///< the files could not be opened
  std::atomic<bool> has_problem_{false};

  std::mutex write_mutex_; ///< apply() and rotate()
  mutable std::mutex places_mutex_;
  std::shared_ptr<const places> places_;
  std::atomic<std::uint64_t> version_{0}; ///< of places_

  std::mutex flush_mutex_;
  seq_no flushed_; ///< the files have been given all up to here
  std::optional<error> flush_failure_;
  seq_no portion_; ///< of the newest portion that the files have, of a flush that may have failed
  std::atomic<std::uint64_t> stable_;
};

} // namespace mneme
