#pragma once
/// All versions of a memory, and what each changed.

#include "mneme/engine.hpp"
#include "query/deadline.hpp"
#include "views/read_views.hpp"

namespace mneme {

result<history_result> read_history(const read_views& views, const history_request& request,
                                    const deadline& time = {});

} // namespace mneme
