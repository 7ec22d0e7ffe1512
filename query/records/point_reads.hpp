#pragma once
/// Reads of single memories, in the caller's thread over the read views.

#include "mneme/engine.hpp"
#include "mneme/tick.hpp"
#include "query/deadline.hpp"
#include "views/read_views.hpp"

namespace mneme {

result<memory> read_current(const read_views& views, const memory_id& id,
                            const read_options& options, const deadline& time = {});
result<memory> read_keyed(const read_views& views, const memory_key& key,
                          const read_options& options, const deadline& time = {});
result<memory> read_version_of(const read_views& views, const memory_uri& uri,
                               const read_options& options, const deadline& time = {});
/// The same with what is asked for beside the memory, all of it as of one seq.
result<memory_reading> read_whole(const read_views& views, const get_read& request,
                                  const deadline& time = {});
result<memory_reading> read_whole(const read_views& views, const resolve_read& request,
                                  const deadline& time = {});
result<std::vector<memory>> read_by_type(const read_views& views, memory_type type,
                                         std::size_t limit, const read_options& options,
                                         bool include_archived, const deadline& time = {});

} // namespace mneme
