#include "index/vectors/compared_query.hpp"

#include <algorithm>

#include "index/vectors/nearest_collector.hpp"

namespace mneme {

compared_query::compared_query(const vector_rows& rows, std::span<const float> query,
                               const goes_on_check& goes_on)
    : rows_(&rows), query_(query.begin(), query.end()), bounds_(rows.size()) {
  const prepared_query prepared(query_, rows.code_count());
  const auto size = static_cast<std::uint32_t>(bounds_.size());
  for (std::uint32_t begin = 0; begin < size && (!goes_on || goes_on());) {
    const std::uint32_t count = std::min(size - begin, vector_rows::run_length(begin));
    prepared.bound(rows, begin, count, bounds_.data() + begin);
    begin += count;
  }
}

std::vector<near_hit> compared_query::nearest(std::size_t k,
                                              const std::function<bool(slot_no)>& accept,
                                              const goes_on_check& goes_on) const {
  if (bounds_.empty() || k == 0) return {};
  const prepared_query prepared(query_, rows_->code_count());
  const std::function<memory_id(slot_no)> no_tie;
  nearest_collector nearest(k, no_tie);
  loop_watch watch(goes_on);
  for (std::uint32_t i = 0; i < bounds_.size() && watch.goes_on(); ++i) {
    if (bounds_[i] < nearest.least_cosine()) continue;
    const slot_no slot = rows_->slot(i);
    if (accept(slot)) nearest.offer(slot, prepared.distance(*rows_, i));
  }
  return nearest.take();
}

} // namespace mneme
