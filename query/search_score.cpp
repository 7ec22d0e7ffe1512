/// The stage near, and how the parts of a leg's scores come together.

#include <algorithm>

#include "messages/math.hpp"
#include "query/search_state.hpp"

namespace mneme {

result<void> search_state::run_near(const read_views& views) {
  std::vector<slot_no> slots;
  for (search_leg* leg : {&memory, &content}) {
    slots.clear();
    slots.reserve(leg->rows.size());
    for (const auto& r : leg->rows) slots.push_back(r.slot);
    const auto distances = views.vectors->distances(vector, slots);
    std::size_t next = 0;
    for (auto& r : leg->rows) {
      if (next == distances.size()) break;
      if (distances[next].slot != r.slot) continue;
      r.vector = std::max(0.0, 1.0 - distances[next].distance);
      ++next;
    }
    if (auto ok = check_deadline(); !ok) return ok;
  }
  stage = search_stage::rank;
  return {};
}

namespace {

/// The best score among the rows right before each row, and the best right after it, summed.
void score_neighbours(std::vector<leg_row>& rows, const read_views& views, seq_no at) {
  const attributes& columns = *views.attributes;
  std::vector<std::uint32_t> row_of_node(views.nodes->size(), no_number);
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t node = columns.node(rows[i].row).value;
    if (node < row_of_node.size()) row_of_node[node] = i;
  }
  for (auto& r : rows)
    for (const auto direction : {edge_direction::in, edge_direction::out}) {
      double best = 0;
      views.order->neighbours(columns.node(r.row), direction, at, false, [&](const neighbour& n) {
        const std::uint32_t i =
            n.node.value < row_of_node.size() ? row_of_node[n.node.value] : no_number;
        if (i != no_number) best = std::max(best, rows[i].raw);
        return true;
      });
      r.neighbours += best;
    }
}

} // namespace

void search_state::score_rows(search_leg& leg, const read_views& views) const {
  constexpr double half_life_ns = 90.0 * 86'400e9;
  constexpr double ln2 = 0.693147180559945309417;
  if (weights.relative) {
    double most = 0;
    for (const auto& r : leg.rows) most = std::max(most, r.vector);
    if (most > 0)
      for (auto& r : leg.rows) r.vector /= most;
  }
  for (auto& r : leg.rows)
    r.raw = vector.empty() ? r.text : weights.vector * r.vector + weights.text * r.text;
  if (weights.neighbours > 0 && views.order->edge_count() > 0) {
    score_neighbours(leg.rows, views, context.at);
    for (auto& r : leg.rows) r.raw += weights.neighbours * r.neighbours;
  }
  for (auto& r : leg.rows) {
    const std::int64_t created = views.attributes->rows().line(r.row).created_at_ns;
    const auto age = static_cast<double>(std::max<std::int64_t>(0, context.now.ns - created));
    r.recency = stable_exp(-ln2 * (age / half_life_ns));
  }
}

} // namespace mneme
