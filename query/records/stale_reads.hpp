#pragma once
/// What no longer stands because something that it rests on has fallen.

#include "mneme/tick.hpp"
#include "query/deadline.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// The live memories that are stale because of one, as far as the asker sees them, in id order. No
/// memory has fallen that is neither tombstoned, superseded nor contradicted: none then.
result<std::vector<memory>> list_stale(const read_views& views, const stale_read& request,
                                       const deadline& time = {});

} // namespace mneme
