#pragma once
/// Reads of edges, in the caller's thread over the read views.

#include <functional>

#include "mneme/engine.hpp"
#include "mneme/tick.hpp"
#include "query/deadline.hpp"
#include "views/asker.hpp"
#include "views/read_views.hpp"

namespace mneme {

result<edge_record> read_one_edge(const read_views& views, const edge_key& key,
                                  const read_options& options, const deadline& time = {});
/// Those out of it come first, then those into it, each in (type byte, other id) order. `visit`
/// returns false to stop.
result<void> read_edges(const read_views& views, const memory_id& id, edge_direction direction,
                        const edge_filter& filter, const read_options& options,
                        const std::function<bool(const edge_record&)>& visit,
                        const deadline& time = {});

/// As a list, within the answer's bound and until `time` is over.
result<std::vector<edge_record>> list_edges(const read_views& views, const edges_read& request,
                                            const deadline& time);

/// The edges of one memory in one direction, for an asker at a seq.
struct edge_scan {
  const read_views& views;
  kv_reader& reader;
  const edge_filter& filter;
  seq_no at;
  const asker& who;
  const std::function<bool(const edge_record&)>& visit;
  const deadline& time;
  std::uint64_t met = 0;  ///< edges, those that are not shown too
  std::uint64_t seen = 0; ///< of them, those that the page counts
  bool stopped = false;   ///< visit has returned false, or the page is full

  result<void> one_way(const memory_id& id, edge_direction direction);
};

} // namespace mneme
