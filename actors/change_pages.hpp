#pragma once
/// A page of the change feed of an open world, as far as it may be told now.

#include "mneme/changes.hpp"
#include "query/deadline.hpp"
#include "state/world.hpp"

namespace mneme {

/// Without waiting. Precondition: check_changes().
result<changes_result> read_change_page(world& w, const changes_request& request,
                                        const deadline& time);

} // namespace mneme
