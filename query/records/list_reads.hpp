#pragma once
/// What there is: pages of memories, newest first, and how many there are by namespace and actor.

#include "mneme/engine.hpp"
#include "query/deadline.hpp"
#include "views/read_views.hpp"

namespace mneme {

result<list_result> read_list(const read_views& views, const list_request& request,
                              const deadline& time = {});
result<std::vector<name_count>>
count_namespaces(const read_views& views, const read_options& options, const deadline& time = {});
result<std::vector<name_count>> count_actors(const read_views& views, const read_options& options,
                                             const deadline& time = {});

} // namespace mneme
