#pragma once
/// What a leg searches, by slot, row or node.

#include "query/search/search_filter.hpp"
#include "query/search/search_state.hpp"

namespace mneme {

class leg_members {
public:
  leg_members(const search_state& s, const search_leg& leg, const read_views& views)
      : leg_(leg), rows_(*views.attributes), at_(s.context.at), filter_(s, views) {}

  /// The row whose content is `slot`, if it is searched; else no_number.
  [[nodiscard]] row_no find(slot_no slot) const {
    if (!leg_.is_counted) return leg_.listed.find(slot);
    const row_no row = rows_.row_of_slot(slot, at_);
    return row.value != no_number && passes(row) ? row : row_no{};
  }
  [[nodiscard]] bool contains(slot_no slot) const { return find(slot).value != no_number; }
  /// As find, before any test that a counted leg would make.
  [[nodiscard]] row_no find_untested(slot_no slot) const {
    return leg_.is_counted ? rows_.row_of_slot(slot, at_) : find(slot);
  }
  /// Whether none of [first, end) is searched; a no may also mean that it is not known.
  [[nodiscard]] bool leaves_out(slot_no first, slot_no end) const {
    return rows_.rows().slots_are_over(first, end, at_);
  }
  /// Precondition: the row comes from find_untested.
  [[nodiscard]] bool contains_row(row_no row) const { return !leg_.is_counted || passes(row); }
  /// The row of `node`, if it is searched.
  [[nodiscard]] row_no find(node_no node) const {
    const row_no row = rows_.row_of(node, at_);
    if (row.value == no_number) return {};
    if (!leg_.is_counted) return find(rows_.slot(row));
    return passes(row) ? row : row_no{};
  }

private:
  [[nodiscard]] bool passes(row_no row) const {
    return rows_.rows().line(row).type != memory_type::chunk && filter_.seen(row)
           && filter_.passes_memory(row);
  }

  const search_leg& leg_;
  const attributes& rows_;
  seq_no at_;
  leg_filter filter_;
};

} // namespace mneme
