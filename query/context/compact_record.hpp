#pragma once
/// The records that compact has left, as an agent comes back to a step.

#include "mneme/agents.hpp"
#include "query/deadline.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// The newest record of (intent, step) as of the seq asked that the asker made; the host sees
/// everybody's. The text of what was kept is that of its version; what the asker may not see any
/// more is skipped.
result<compact_result> read_compact_record(const read_views& views, const load_compact_request& r,
                                           const deadline& time = {});

} // namespace mneme
