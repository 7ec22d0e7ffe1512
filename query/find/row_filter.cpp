#include "query/find/row_filter.hpp"

#include "messages/ensure.hpp"

namespace mneme {

row_filter::row_filter(const find_request& r, const asker& who, seq_no at, const read_views& views,
                       compiled_predicate* where)
    : attributes_(*views.attributes),
      rows_(views.attributes->rows()),
      nodes_(*views.nodes),
      where_(where),
      at_(at),
      row_count_(rows_.count_at(at)),
      visible_(who, *views.attributes, *views.nodes) {
  if (where != nullptr) bounds_ = where->bounds();
  bounds_.types = static_cast<type_set>(bounds_.types & types_asked(r));
  bounds_.flags_excluded |= row_erased;
  if (!r.include_tombstoned) bounds_.flags_excluded |= row_tombstoned;
  if (!r.include_archived) bounds_.flags_excluded |= row_archived;
  if (has_near(r)) bounds_.flags_asked |= row_has_vector;
  if (!r.as_of) return;
  bounds_.valid_from.narrow({.last = r.as_of->ns});
  ends_after_ns_ = r.as_of->ns;
}

row_filter::looked_over row_filter::look_over(std::span<const std::uint32_t> rows,
                                              std::span<std::uint32_t> left) const {
  ensure(left.size() >= rows.size(), "what is left of some rows has room");
  std::uint32_t count = 0;
  std::uint32_t alive_count = 0;
  for (const std::uint32_t row : rows) {
    const row_brief brief = rows_.brief({row});
    if (!alive({row}, brief)) continue;
    ++alive_count;
    if (!bounds_.may_have(brief) || !may_pass_in_zone_of({row})) continue;
    __builtin_prefetch(&rows_.line({row}));
    left[count++] = row;
  }
  return {.alive = alive_count, .left = left.first(count)};
}

} // namespace mneme
