/// What a search found, for a door that shows it in its own way.

#include "messages/ensure.hpp"
#include "query/search/search_filter.hpp"
#include "query/search/search_state.hpp"

namespace mneme {

namespace {

class row_neighbours {
public:
  row_neighbours(const search_state& s, const read_views& views)
      : s_(s), views_(views), rows_(*views.attributes), filter_(s, views), newer_(views) {}

  /// The newest memory right before (in) or after (out) a row, if any passes.
  result<row_no> newest(row_no row, edge_direction direction) {
    leg_row best;
    result<void> in_time;
    views_.order->neighbours(
        rows_.node(row), direction, s_.context.at, false, [&](const neighbour& n) {
          in_time = s_.time.check(looked_at_++);
          const leg_row other{.row = rows_.row_of(n.node, s_.context.at), .slot = {}};
          if (passes(other.row) && (best.row.value == no_number || newer_(other, best)))
            best = other;
          return in_time.has_value();
        });
    if (!in_time) return propagate(in_time);
    return best.row;
  }

private:
  [[nodiscard]] bool passes(row_no row) const {
    return row.value != no_number && rows_.rows().line(row).type != memory_type::chunk
           && filter_.seen(row) && filter_.passes_memory(row);
  }

  const search_state& s_;
  const read_views& views_;
  const attributes& rows_;
  leg_filter filter_;
  tie_order newer_;
  std::uint64_t looked_at_ = 0;
};

} // namespace

result<std::vector<found_memory>> search_run::take_found(const read_views& views) {
  search_state& s = *state_;
  ensure(s.stage == search_stage::fetch && !s.request.memory_ids,
         "rows are taken when they are ranked, and before they are read");
  // What stands beside a hit is there by its place: it holds, though its words find it no more.
  s.past_topics.clear();
  row_neighbours beside(s, views);
  std::vector<found_memory> found;
  found.reserve(s.hits.size());
  for (const auto& hit : s.hits) {
    auto before = beside.newest(hit.row, edge_direction::in);
    if (!before) return propagate(before);
    auto after = beside.newest(hit.row, edge_direction::out);
    if (!after) return propagate(after);
    found.push_back({.row = hit.row,
                     .score = hit.score,
                     .before = *before,
                     .after = *after,
                     .older_of = hit.older_of});
  }
  s.stage = search_stage::done;
  return found;
}

const std::string& search_run::embedder_problem() const {
  return state_->answer.embedder_problem;
}

} // namespace mneme
