#include "index/vectors/compared_query.hpp"

#include <algorithm>
#include <ranges>

#include "index/vectors/nearest_collector.hpp"

namespace mneme {

compared_query::compared_query(const vector_rows& rows, std::span<const float> query,
                               const goes_on_check& goes_on, const slots_left_out& left_out)
    : rows_(&rows), query_(query.begin(), query.end()), bounds_(rows.size()) {
  const prepared_query prepared(query_, rows.code_count());
  const auto size = static_cast<std::uint32_t>(bounds_.size());
  constexpr float no_cosine = -2;
  for (std::uint32_t begin = 0; begin < size && (!goes_on || goes_on());) {
    const std::uint32_t count =
        std::min({group_size, size - begin, vector_rows::run_length(begin)});
    const slot_no behind{rows.slot(begin + count - 1).value + 1};
    if (left_out && left_out(rows.slot(begin), behind))
      std::fill_n(bounds_.data() + begin, count, no_cosine);
    else
      prepared.bound(rows, begin, count, bounds_.data() + begin);
    begin += count;
  }
  for (std::uint32_t group = 0; group * group_size < size; ++group) {
    const auto* bounds = bounds_.data();
    most_.push_back(*std::max_element(bounds + group * group_size, bounds + end_of(group)));
  }
}

std::uint32_t compared_query::count_below(slot_no slot) const {
  const auto positions = std::views::iota(0U, static_cast<std::uint32_t>(bounds_.size()));
  const auto at = std::ranges::partition_point(
      positions, [&](std::uint32_t i) { return rows_->slot(i) < slot; });
  return static_cast<std::uint32_t>(at - positions.begin());
}

compared_query::range compared_query::within(slot_no first, slot_no end) const {
  range r;
  r.all_ = this;
  const std::uint32_t from = count_below(first);
  const std::uint32_t to = count_below(end);
  if (from == to) return r;
  const auto* most =
      std::max_element(most_.data() + from / group_size, most_.data() + (to - 1) / group_size + 1);
  r.most_ = std::max(0.0, static_cast<double>(*most + slack));
  r.first_ = rows_->slot(from).value;
  r.count_ = to - from;
  if (rows_->slot(to - 1).value - r.first_ == r.count_ - 1) r.bounds_ = bounds_.data() + from;
  return r;
}

std::vector<near_hit> compared_query::nearest(std::size_t k,
                                              const std::function<bool(slot_no)>& accept,
                                              const goes_on_check& goes_on) const {
  if (bounds_.empty() || k == 0) return {};
  const prepared_query prepared(query_, rows_->code_count());
  const std::function<memory_id(slot_no)> no_tie;
  nearest_collector nearest(k, no_tie);
  loop_watch watch(goes_on);
  for (std::uint32_t group = 0; group < most_.size() && !watch.is_over(); ++group) {
    if (most_[group] < nearest.least_cosine()) continue;
    for (std::uint32_t i = group * group_size; i < end_of(group) && watch.goes_on(); ++i) {
      if (bounds_[i] < nearest.least_cosine()) continue;
      const slot_no slot = rows_->slot(i);
      if (accept(slot)) nearest.offer(slot, prepared.distance(*rows_, i));
    }
  }
  return nearest.take();
}

} // namespace mneme
