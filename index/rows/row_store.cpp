#include "index/rows/row_store.hpp"

namespace mneme {

row_no row_store::append(const row_line& line, row_rest rest) {
  const std::uint32_t row = size_.load(std::memory_order_relaxed);
  ensure(row != no_number, "the row table is full");
  ensure(row == 0 || lines_[row - 1].begin <= line.begin, "rows are appended in seq order");
  ensure(line.node != no_number, "a row is of a node");
  ensure(rest.terms_begin + rest.tag_count + rest.frame_count <= term_count_,
         "the terms of a row are there before it");
  std::uint32_t& last_of_node = last_of_node_.grow(line.node);
  rest.before_of_node = last_of_node - 1;
  std::uint32_t& before_of_slot = before_of_slot_.grow(row);
  before_of_slot = no_number;
  uses_.grow(row) = 0;
  lines_.grow(row) = line;
  briefs_.grow(row) = brief_of(line, rest);
  widen_zone(row, line.created_at_ns);
  raise_use({row}, use_bound_of({})); // what a memory without a record has
  if (line.slot != no_number) {
    std::uint32_t& last_of_slot = last_of_slot_.grow(line.slot);
    before_of_slot = last_of_slot - 1;
    rest_.grow(row) = rest;
    store_release(last_of_slot, row + 1);
  } else {
    rest_.grow(row) = rest;
  }
  store_release(last_of_node, row + 1);
  size_.store(row + 1, std::memory_order_release);
  return {row};
}

row_brief row_store::brief_of(const row_line& line, const row_rest& rest) const {
  row_brief brief = brief_of_flags(line.flags) | (static_cast<row_brief>(line.type) & 0xFU) << 4;
  if (line.end != forever) brief |= brief_closed;
  for (std::uint32_t i = 0; i < rest.tag_count; ++i)
    brief |= brief_of_tag({terms_[rest.terms_begin + i]});
  return brief;
}

// A reader that knows of the row finds it within its zone: this comes before the row's publication.
void row_store::widen_zone(std::uint32_t row, std::int64_t created_at_ns) {
  row_zone& zone = zones_.grow(row / rows_per_zone);
  const bool is_first = row % rows_per_zone == 0;
  if (is_first || created_at_ns < zone.first_created_ns)
    store_release(zone.first_created_ns, created_at_ns);
  if (is_first || zone.last_created_ns < created_at_ns)
    store_release(zone.last_created_ns, created_at_ns);
}

void row_store::raise_use(row_no row, use_bound use) {
  const auto raise = [use](use_bound& known) {
    if (const use_bound most = most_of(known, use); most != known) store_release(known, most);
  };
  raise(uses_[row.value]);
  raise(zones_[row.value / rows_per_zone].use);
}

row_no row_store::row_of(node_no node, seq_no at) const {
  row_no row = last_of(node);
  while (row.value != no_number && lines_[row.value].begin > at.value)
    row.value = rest_[row.value].before_of_node;
  if (row.value != no_number && !alive(row, at)) return {};
  return row;
}

row_no row_store::row_of_slot(slot_no slot, seq_no at) const {
  const std::uint32_t* last = slot.value == no_number ? nullptr : last_of_slot_.find(slot.value);
  row_no row{last == nullptr ? no_number : load_acquire(*last) - 1};
  while (row.value != no_number && lines_[row.value].begin > at.value)
    row.value = before_of_slot_[row.value];
  if (row.value != no_number && !alive(row, at)) return {};
  return row;
}

std::uint32_t row_store::count_at(seq_no at) const {
  std::uint32_t low = 0;
  std::uint32_t high = size();
  if (high == 0 || lines_[high - 1].begin <= at.value) return high;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (lines_[middle].begin <= at.value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

} // namespace mneme
