#pragma once
/// One page of the change feed: read from the journal, entry by entry, as far as it may be told.

#include <string>

#include "journal/frame_places.hpp"
#include "mneme/changes.hpp"
#include "query/deadline.hpp"
#include "storage/file.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// Where the entries are, and up to which they may be told.
struct change_source {
  file_system& files;
  std::string journal; ///< its directory
  world_id world;
  frame_places& places;
  seq_no last;
};

/// out_of_range at the number that is.
result<void> check_changes(const changes_request& request);

/// What there is now, without waiting. Precondition: check_changes().
result<changes_result> read_changes(const read_views& views, const change_source& source,
                                    const changes_request& request, const deadline& time = {});

inline constexpr std::int64_t most_changes = 1'000;
inline constexpr std::int64_t most_wait_ms = 60'000;
inline constexpr std::uint64_t most_scanned = 10'000;

} // namespace mneme
