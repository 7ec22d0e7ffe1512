#include <algorithm>
#include <utility>

#include "index/graph/graph_state.hpp"
#include "index/graph/visited_nodes.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

std::uint64_t types_of(std::span<const edge_type> types) {
  if (types.empty()) return any_edge_type;
  std::uint64_t bits = 0;
  for (const edge_type t : types)
    if (const auto byte = static_cast<unsigned>(t); byte < 64) bits |= std::uint64_t{1} << byte;
  return bits;
}

class walker {
public:
  walker(const graph::impl& graph, const walk_request& request, visited_nodes& met)
      : graph_(graph),
        request_(request),
        met_(met),
        watch_(request.goes_on),
        filter_{.at = request.at.value,
                .types = types_of(request.types),
                .include_tombstoned = request.include_tombstoned} {}

  walk_result run() {
    constexpr std::size_t few = 64;
    result_.steps.reserve(std::min<std::uint64_t>(few, request_.max_visited));
    met_.insert(request_.from.value);
    expand(request_.from, 1);
    std::size_t next = 0;
    while (!result_.truncated && !watch_.is_over() && next < result_.steps.size()) {
      const walk_step step = result_.steps[next++];
      if (step.hop == request_.max_hops) break;
      ask_ahead_of(next);
      expand(step.node, step.hop + 1);
    }
    drop_near_steps();
    return std::move(result_);
  }

private:
  /// Asks for the entries of the nodes that are expanded next: each expansion alone would wait for
  /// them.
  void ask_ahead_of(std::size_t next) {
    constexpr std::size_t nodes_ahead = 4;
    const std::size_t end = std::min(next + nodes_ahead, result_.steps.size());
    for (asked_ = std::max(asked_, next); asked_ < end; ++asked_)
      if (result_.steps[asked_].hop < request_.max_hops)
        graph_.prefetch_entries(result_.steps[asked_].node, request_.direction);
  }

  void expand(node_no node, std::uint32_t hop) {
    for_each_edge(graph_, node, request_.direction, filter_,
                  [&](const edge_entry& e, bool is_out) { return reach(node, e, is_out, hop); });
  }

  /// False to stop the walk.
  bool reach(node_no from, const edge_entry& e, bool is_out, std::uint32_t hop) {
    if (!watch_.goes_on()) return false;
    if (!met_.insert(e.node)) return true;
    const node_no node{e.node};
    if (request_.may_see && !request_.may_see(node)) return true;
    if (result_.steps.size() == request_.max_visited) {
      result_.truncated = true;
      return false;
    }
    ensure(result_.steps.empty() || result_.steps.back().hop <= hop, "a walk goes outwards");
    result_.steps.push_back({.node = node,
                             .hop = hop,
                             .via_src = is_out ? from : node,
                             .via_type = e.type,
                             .via_dst = is_out ? node : from});
    if (hop < request_.max_hops) graph_.prefetch_lists(node);
    return true;
  }

  void drop_near_steps() {
    std::size_t near = 0;
    while (near < result_.steps.size() && result_.steps[near].hop < request_.min_hops) ++near;
    result_.steps.erase(result_.steps.begin(),
                        result_.steps.begin() + static_cast<std::ptrdiff_t>(near));
  }

  const graph::impl& graph_;
  const walk_request& request_;
  visited_nodes& met_;
  loop_watch watch_;
  edge_selection filter_;
  walk_result result_;
  std::size_t asked_ = 0; ///< steps whose entries were asked for, or need none
};

} // namespace

walk_result graph::walk(const walk_request& request) const {
  if (request.max_hops == 0 || request.min_hops > request.max_hops) return {};
  visited_loan met;
  const reclaimer::guard inside(impl_->retired);
  return walker(*impl_, request, *met).run();
}

} // namespace mneme
