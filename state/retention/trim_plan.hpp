#pragma once
/// Which entries before a point say nothing any more: what they added up to can be carried, or a
/// later one before the point says the whole of it again. Where that is asked for, what memories
/// said before, too.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "journal/frame.hpp"
#include "state/apply/apply.hpp"
#include "state/retention/overwritten_contents.hpp"

namespace mneme {

/// Takes the entries before the point in order, frame by frame, and applies what of them is added
/// up, by the functions that a world applies it with.
class trim_plan {
public:
  explicit trim_plan(bool with_versions) {
    numbers_.nodes = &nodes_;
    if (with_versions) contents_.emplace();
  }
  trim_plan(const trim_plan&) = delete;
  trim_plan& operator=(const trim_plan&) = delete;

  /// What an earlier trim carries: before the frame that begins at its point.
  void carry(const trim_payload& earlier);
  /// Consecutive entries, as open_entries() gives them.
  void take(std::span<const entry> entries);
  /// Of what stays behind the point, where overwritten contents go: what it names stays.
  void take_behind(std::span<const entry> entries);
  /// What the last trim names stays named, whatever the journal here shows of it: an entry that was
  /// erased before it was dropped here may have been dropped first in another copy. Before
  /// conclude().
  void keep(const trim_payload& last);
  /// All was taken.
  void conclude();

  /// So many payloads that are there would go, of so many bytes.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] std::uint64_t dropped_bytes() const { return dropped_bytes_; }
  /// Of these, contents.
  [[nodiscard]] std::uint64_t versions() const { return versions_; }
  /// How many bytes the journal gets for it, about: each frame that lacks something says so.
  [[nodiscard]] std::uint64_t marks_bytes() const { return marked_frames_ * trim_mark_bytes; }
  /// All that goes and is gone, and what it came to. Precondition: it is something.
  [[nodiscard]] trim_payload finish(seq_no before) const;

private:
  /// The newest entry that says the whole of a thing, if it goes once another one does.
  struct newest {
    seq_no seq;
    std::uint64_t bytes = 0;
    bool may_go = false;
  };

  void look_at(const entry& e);
  /// Whether it may go once another entry says the memory's head.
  bool look_at_head(const entry& e, const memory_id& id);
  void replace(newest& one, const entry& e, bool may_go);
  void drop(seq_no seq, std::uint64_t bytes);
  void name(const memory_id& id) { carried_.insert(id); }

  node_table nodes_;
  numbering numbers_;
  attributes state_;
  std::map<memory_id, newest> heads_;
  std::map<std::string, newest, std::less<>> weights_;
  std::set<memory_id> carried_;
  std::optional<overwritten_contents> contents_;
  std::map<memory_id, std::vector<version_range>> gone_; ///< versions whose contents go or are gone
  trim_payload planned_;
  std::uint64_t dropped_ = 0;
  std::uint64_t dropped_bytes_ = 0;
  std::uint64_t versions_ = 0;
  std::uint64_t marked_frames_ = 0;
  bool stays_ = true; ///< the entry that was looked at last, as far as it is known
};

} // namespace mneme
