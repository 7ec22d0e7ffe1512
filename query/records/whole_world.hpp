#pragma once
/// Everything that a world holds, for exports: in the order of ids, as of the published seq.

#include <functional>

#include "mneme/engine.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// `visit` returns false to stop.
result<void> read_all_memories(const read_views& views,
                               const std::function<bool(const memory_record&)>& visit);
/// Tombstoned ones too.
result<void> read_all_edges(const read_views& views,
                            const std::function<bool(const edge_record&)>& visit);

} // namespace mneme
