#pragma once
/// What an import did, and how it tells how far it is.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mneme::importing {

struct import_report {
  std::uint64_t memories_added = 0;
  std::uint64_t memories_updated = 0;
  std::uint64_t memories_unchanged = 0;
  std::uint64_t memories_removed = 0; ///< pieces that the source no longer has, tombstoned
  std::uint64_t memories_skipped = 0; ///< tombstoned or erased here: an import does not revive
  std::uint64_t edges_added = 0;
  std::uint64_t edges_removed = 0;         ///< that the source no longer has
  std::uint64_t edges_unchanged = 0;       ///< also removed here, or at what was erased
  std::uint64_t field_revisions_added = 0; ///< of topics
  std::uint64_t texts_repeated = 0; ///< of those added: in the same words as what was there already
  std::uint64_t memories_coloured = 0; ///< of those added
  std::uint64_t hashtags_assigned = 0;
  std::map<std::string, std::uint64_t> left_out; ///< what was not imported, and how often
  std::vector<std::string> notes;                ///< for the person who started it
};

/// Done and total in units of the format (bytes of a file, commits, files); total 0 = unknown.
using import_progress =
    std::function<void(std::uint64_t done, std::uint64_t total, const import_report& so_far)>;

} // namespace mneme::importing
