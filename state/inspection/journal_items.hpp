#pragma once
/// The journal's entries as a host sees them.

#include "mneme/engine.hpp"
#include "state/world.hpp"

namespace mneme {

/// Of the published entries from `from` on, at most `limit`. `in_time` is asked before each frame.
result<std::vector<journal_item>> read_journal_items(const world& w, seq_no from, std::size_t limit,
                                                     const keep_going& in_time = {});

} // namespace mneme
