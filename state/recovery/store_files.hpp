#pragma once
/// The store's files as an opening world finds them: trusted as far as CHECKPOINT says that they
/// match, else looked at; made anew from the journal where they are missing, damaged or of another
/// seq.

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "journal/segment_walk.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "storage/buffered_store.hpp"

namespace mneme {

/// Files that are made anew beside those that are open.
struct fresh_store {
  std::unique_ptr<kv_store> store; ///< empty
  /// From now on store_source::open means these. What it gives removes the others, once they are
  /// closed. Empty: of them nothing stays.
  std::function<std::function<void()>()> take = {};
  /// In place of that: removes these, once they are closed. Empty: nothing of them stays.
  std::function<void()> drop = {};
};

/// How the store of one world is opened, found and removed.
struct store_source {
  /// Opens it, or makes an empty one.
  std::function<result<std::unique_ptr<kv_store>>()> open;
  /// Removes a damaged one, so that `open` makes it anew; empty: it has no files.
  std::function<result<void>()> remove = {};
  /// Whether there are files; empty: it is opened with the world, whatever CHECKPOINT says.
  std::function<bool()> is_there = {};
  /// From now on `open` makes an empty one beside that which is open, and what this gives removes
  /// that, once it is closed. Empty: `open` always makes an empty one, of which nothing stays.
  std::function<std::function<void()>()> retire = {};
  /// Empty: `open` makes one.
  std::function<result<fresh_store>()> open_beside = {};
};

/// That of a world on disk.
store_source store_in(const std::string& world_directory, const wiredtiger_options& options);

/// What was wrong with files that were opened after the world was. From any thread.
class late_store_problem {
public:
  void set(std::string what) {
    const std::scoped_lock lock(guard_);
    what_ = std::move(what);
  }
  /// Empty: nothing.
  [[nodiscard]] std::string get() const {
    const std::scoped_lock lock(guard_);
    return what_;
  }

private:
  mutable std::mutex guard_;
  std::string what_;
};

/// Whose journal the store is made from.
struct journal_place {
  std::shared_ptr<file_system> files;
  std::string world_directory;
  world_id world;
};

/// Opens files that are to hold exactly what was up to `at`, which is the seq of a checkpoint, and
/// makes them anew if they do not; `problem` then says why.
result<std::unique_ptr<kv_store>> open_files_at(const store_source& source,
                                                const journal_place& journal, seq_no at,
                                                late_store_problem& problem);

/// Opens files that are new, and gives them what the journal has up to `at`, where a frame ends.
result<std::unique_ptr<kv_store>> make_files(const store_source& source,
                                             const journal_place& journal, seq_no at);

/// Gives an empty store the rows that a journal has, some at a time.
class store_filler {
public:
  static result<store_filler> open(const journal_place& journal);
  /// The next frames that end up to `at`, where one does: about so many entries of them. True: the
  /// store has all of them.
  result<bool> fill(kv_store& store, seq_no at, std::size_t entries);

private:
  explicit store_filler(segment_walk walk) : walk_(std::move(walk)) {}

  segment_walk walk_;
  seq_no filled_;
};

/// Whether everything that is lost with the store can be made from the journal.
bool journal_is_sound(const journal_place& journal);

} // namespace mneme
