#include "query/find/row_filter.hpp"

#include <algorithm>

namespace mneme {

namespace {

/// What was superseded held once, and is found by who asks for what no longer holds, or for what
/// held then.
bool may_find_past(const find_request& r) {
  const bool walks = r.from && !has_near(r);
  return r.include_ended || (!walks && (r.as_of || r.include_archived));
}

} // namespace

row_filter::row_filter(const find_request& r, const asker& who, const query_context& context,
                       const read_views& views, compiled_predicate* where,
                       const distrusted_memories& distrusted)
    : attributes_(*views.attributes),
      rows_(views.attributes->rows()),
      nodes_(*views.nodes),
      where_(where),
      distrusted_(distrusted),
      lineage_(views, context.at),
      stale_(r.stale),
      at_(context.at),
      row_count_(rows_.count_at(context.at)),
      visible_(who, *views.attributes, *views.nodes),
      current_(visible_, views, context.at,
               {.instant = r.as_of.value_or(context.now), .is_asked = r.as_of.has_value()},
               &distrusted),
      left_out_(left_out_of(r, views, current_)),
      shows_gone_(r.include_tombstoned) {
  if (where != nullptr) bounds_ = where->bounds();
  bounds_.types = static_cast<type_set>(bounds_.types & types_asked(r));
  bounds_.exclude_flags(row_erased);
  const bool admits_past = may_find_past(r) && attributes_.past()->cardinality() != 0;
  if (!shows_gone_ && !admits_past) bounds_.exclude_flags(row_tombstoned);
  if (!r.include_archived) bounds_.exclude_flags(row_archived);
  if (has_near(r)) bounds_.ask_flags(row_has_vector);
  if (r.as_of) {
    bounds_.valid_from.narrow({.last = r.as_of->ns});
    ends_after_ns_ = r.as_of->ns;
  }
  briefs_decide_ = !r.as_of && (shows_gone_ || !admits_past) && !has_near(r) && distrusted.empty()
                   && !r.stale && left_out_ == left_out::nothing
                   && bounds_.are_in_brief_but_for_creation();
}

// Where edges lead is seen as it is: who walks does not ask what holds.
row_filter::left_out row_filter::left_out_of(const find_request& r, const read_views& views,
                                             const current_memories& current) {
  if (r.include_ended || (r.from && !has_near(r))) return left_out::nothing;
  const bool superseded = !r.include_archived && current.ever_superseded();
  // As of a time of the caller's own everything is held to it, what is tombstoned too.
  const bool ended = !r.as_of && views.attributes->ending()->cardinality() != 0;
  if (ended) return superseded ? left_out::both : left_out::ended;
  return superseded ? left_out::superseded : left_out::nothing;
}

// Which rows pass cannot be foreseen: each is written behind those that are left, and counts or
// not.
std::uint32_t row_filter::look_over(std::span<const std::uint32_t> rows,
                                    std::vector<std::uint32_t>& left) const {
  const auto begun = std::ranges::lower_bound(rows, row_count_);
  const auto there = rows.first(static_cast<std::size_t>(begun - rows.begin()));
  const std::size_t before = left.size();
  left.resize(before + there.size());
  std::uint32_t* end = left.data() + before;
  std::uint32_t alive_count = 0;
  column_run<row_brief> briefs;
  for (const std::uint32_t row : there) {
    if (!briefs.has(row)) briefs = rows_.briefs_with({row});
    const row_brief brief = load_acquire(briefs[row]);
    const bool is_alive = (brief & brief_closed) == 0 || at_.value < rows_.end({row});
    alive_count += is_alive ? 1U : 0U;
    *end = row;
    end += is_alive && bounds_.may_have(brief) ? 1 : 0;
  }
  left.resize(static_cast<std::size_t>(end - left.data()));
  return alive_count;
}

} // namespace mneme
