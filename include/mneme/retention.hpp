#pragma once
/// History that nobody reads any more: a world keeps what was said, and drops how often it was
/// looked at. docs/RETENTION.md says what goes and what stays.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "mneme/error.hpp"
#include "mneme/recovery.hpp"
#include "mneme/seams.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// How much of a world's history is kept: what either keeps. Both 0: all of it.
struct kept_history {
  std::uint64_t entries = 0; ///< so many of the last
  std::int64_t ns = 0;       ///< and what was made in so many nanoseconds

  /// Before that overwritten contents go, too, as by trim_options::versions. By itself it keeps
  /// none.
  bool trims_versions = false;

  [[nodiscard]] bool any() const { return entries != 0 || ns != 0; }
};

struct trim_options {
  /// History before this entry goes, or before the first entry that was made at `before_time` or
  /// later; entries that were committed together stay together. Neither: all of it so far.
  std::optional<seq_no> before;
  std::optional<timestamp> before_time;
  std::string reason; ///< both stay in the journal
  std::string by;
  bool dry_run = false; ///< nothing is changed
  /// Also what memories said before the point and have said otherwise since, unless something that
  /// stays names the version. It then is `trimmed`, and history has its number alone.
  bool versions = false;
  progress on_progress; ///< entries that were looked at
  // Of a world that is not open; one that is has its own.
  std::shared_ptr<mneme::embedder> embedder{}; ///< a host's own, where the world was made with one
  std::shared_ptr<clock> time{};               ///< null = the system's, likewise:
  std::shared_ptr<random_source> random{};
};
struct trim_report {
  seq_no at;     ///< the entry that says so; 0: there was nothing to save, or it is a dry run
  seq_no before; ///< reads at this seq and behind it are what they were
  std::uint64_t dropped = 0;       ///< entries whose payloads went
  std::uint64_t dropped_bytes = 0; ///< and how long those were
  std::uint64_t versions = 0;      ///< of them contents that were overwritten
  std::uint64_t carried = 0;       ///< memories whose uses were added up
  /// What that saves, about. 0: to say what is dropped takes as much as that has; nothing was done.
  std::uint64_t saved_bytes = 0;
  std::uint64_t journal_bytes_before = 0;
  std::uint64_t journal_bytes = 0;
};
/// Drops what of a world's history only reads before a point would need. The world must not be open
/// (busy): engine::trim() is for one that is. A trim that is broken off is finished by whoever
/// opens the world next. disk_full where there is no room to write anew what is made of the
/// journal.
result<trim_report> trim_world(const std::string& directory, const trim_options& options = {});

} // namespace mneme
