#include "index/rows/row_store.hpp"

#include "index/columns/column_image.hpp"

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
    slot_zone& zone = slot_zones_.grow(line.slot / slots_per_zone);
    if (line.end == forever)
      store_release(zone.open, zone.open + 1);
    else
      store_release(zone.over_by, std::max(zone.over_by, line.end));
    rest_.grow(row) = rest;
    store_release(last_of_slot, row + 1);
  } else {
    rest_.grow(row) = rest;
  }
  store_release(last_of_node, row + 1);
  size_.store(row + 1, std::memory_order_release);
  return {row};
}

void row_store::close(row_no row, std::uint64_t end) {
  row_line& line = lines_[row.value];
  ensure(line.begin <= end, "a row ends after it began");
  ensure(line.end == forever, "a row ends once");
  store_release(line.end, end);
  row_brief& brief = briefs_[row.value];
  store_release(brief, brief | brief_closed);
  if (line.slot == no_number) return;
  slot_zone& zone = slot_zones_.grow(line.slot / slots_per_zone);
  ensure(zone.open != 0, "a row that ends was open");
  store_release(zone.over_by, std::max(zone.over_by, end));
  store_release(zone.open, zone.open - 1);
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

void row_store::save(image_writer& out) const {
  std::uint32_t nodes = 0;
  std::uint32_t slots = 0;
  const std::uint32_t count = size();
  for (std::uint32_t row = 0; row < count; ++row) {
    nodes = std::max(nodes, lines_[row].node + 1);
    if (lines_[row].slot != no_number) slots = std::max(slots, lines_[row].slot + 1);
  }
  out.put(count);
  out.put(term_count_);
  put_column(out, lines_, count);
  put_column(out, briefs_, count);
  put_column(out, zones_, (count + rows_per_zone - 1) / rows_per_zone);
  put_column(out, uses_, count);
  put_column(out, rest_, count);
  put_column(out, before_of_slot_, count);
  put_column(out, terms_, term_count_);
  put_column(out, last_of_node_, nodes);
  put_column(out, last_of_slot_, slots);
  put_column(out, slot_zones_, (slots + slots_per_zone - 1) / slots_per_zone);
}

bool row_store::adopt(image_reader& in) {
  ensure(size() == 0, "rows are adopted by a store that has none");
  const auto count = in.get<std::uint32_t>();
  term_count_ = in.get<std::uint32_t>();
  const bool is_whole =
      count != no_number && adopt_column(in, lines_, count) && adopt_column(in, briefs_, count)
      && adopt_column(in, zones_, (std::uint64_t{count} + rows_per_zone - 1) / rows_per_zone)
      && adopt_column(in, uses_, count) && adopt_column(in, rest_, count)
      && adopt_column(in, before_of_slot_, count) && adopt_column(in, terms_, term_count_)
      && adopt_column(in, last_of_node_) && adopt_column(in, last_of_slot_)
      && adopt_column(in, slot_zones_);
  if (is_whole) size_.store(count, std::memory_order_release);
  return is_whole;
}

} // namespace mneme
