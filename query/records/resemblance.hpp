#pragma once
/// What a memory that was just written is like: found by its words first, then by its vector.

#include <vector>

#include "mneme/requests.hpp"
#include "views/asker.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// Of a memory that is no topic, as of `at`, among memories (of a chunk among chunks).
/// Precondition: `at` is retained while this runs, or the answer is not used.
resemblance resemblance_of(const memory_id& written, seq_no at, const asker& who,
                           const read_views& views);

/// Topics neither tombstoned nor archived that have the title of `topic`, at most eight.
std::vector<memory_id> same_titles(const memory_id& topic, seq_no at, const asker& who,
                                   const read_views& views);

} // namespace mneme
