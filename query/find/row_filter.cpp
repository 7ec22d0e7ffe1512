#include "query/find/row_filter.hpp"

namespace mneme {

row_filter::row_filter(const find_request& r, const asker& who, seq_no at, const read_views& views,
                       compiled_predicate* where)
    : attributes_(*views.attributes),
      rows_(views.attributes->rows()),
      nodes_(*views.nodes),
      where_(where),
      at_(at),
      types_(types_asked(r)),
      visible_(who, *views.attributes, *views.nodes) {
  excluded_flags_ = row_erased;
  if (!r.include_tombstoned) excluded_flags_ |= row_tombstoned;
  if (!r.include_archived) excluded_flags_ |= row_archived;
  if (has_near(r)) required_flags_ = row_has_vector;
  if (r.as_of) as_of_ns_ = r.as_of->ns;
}

verdict row_filter::test_alive(row_no row) const {
  const row_line& line = rows_.line(row);
  if ((types_ & type_bit(line.type)) == 0) return verdict::no;
  if ((line.flags & excluded_flags_) != 0) return verdict::no;
  if ((line.flags & required_flags_) != required_flags_) return verdict::no;
  if (!visible_(row)) return verdict::no;
  if (as_of_ns_ && (line.valid_from_ns > *as_of_ns_ || *as_of_ns_ >= line.valid_until_ns))
    return verdict::no;
  if (where_ == nullptr) return verdict::yes;
  return where_->test_columns(row, attributes_, nodes_);
}

} // namespace mneme
