#pragma once
/// Candidate rows of one find and their order. All order fields are columns, distances or hops, so
/// rows are ordered before any record is fetched. Ties always end in id order.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "index/columns/attributes.hpp"
#include "index/graph/graph.hpp"
#include "index/rows/node_table.hpp"
#include "messages/ensure.hpp"
#include "mneme/query.hpp"
#include "views/salience.hpp"

namespace mneme {

struct candidate {
  row_no row;
  node_no node;
  slot_no slot;
  std::uint32_t step = no_number;    ///< in the walk's steps
  std::uint32_t fetched = no_number; ///< in the records fetched so far
  std::int64_t key = 0;              ///< of the first order field; smaller comes first
  double distance = 0;
  double salience = 0;
  bool tombstoned = false;
  bool open = false; ///< the predicate needs the record
};

/// A row with its columns, not scored yet. What was superseded after the time that is asked for was
/// not gone then.
inline candidate candidate_of(row_no row, const attributes& columns,
                              std::optional<timestamp> as_of) {
  const row_line& line = columns.rows().line(row);
  candidate c;
  c.row = row;
  c.node = {line.node};
  c.slot = {line.slot};
  const bool was_there =
      as_of && (line.flags & row_past) != 0 && line.last_updated_at_ns > as_of->ns;
  c.tombstoned = (line.flags & row_tombstoned) != 0 && !was_there;
  return c;
}

class row_order {
public:
  /// All that it is given by reference outlives it, and so does the order.
  row_order(std::span<const order_by> order, salience_scorer scorer, seq_no at,
            const attributes& columns, const node_table& nodes, const std::vector<walk_step>& steps)
      : order_(order), scorer_(scorer), at_(at), columns_(columns), nodes_(nodes), steps_(steps) {
    ensure(!order_.empty(), "rows have an order");
    uses_salience_ = std::ranges::any_of(
        order_, [](const order_by& one) { return one.field == order_field::salience; });
    is_most_salient_first_ =
        order_.front().field == order_field::salience && order_.front().descending;
    const auto time = std::ranges::find_if(order_, is_time, &order_by::field);
    ties_descend_ = time != order_.end() && time->descending;
  }

  [[nodiscard]] bool uses_salience() const { return uses_salience_; }
  void set_salience(candidate& c) const;
  /// The key, and the salience if it is an order field.
  void set_key(candidate& c) const {
    if (uses_salience_) set_salience(c);
    c.key = key_of(c, order_.front());
  }
  [[nodiscard]] bool is_most_salient_first() const { return is_most_salient_first_; }
  /// False: no row whose use is within the bound has a key of `most` or less.
  [[nodiscard]] bool may_be_up_to(std::int64_t most, use_bound use, double distance = 0) const;
  [[nodiscard]] bool may_be_up_to(std::int64_t most, const candidate& c) const {
    return !is_most_salient_first_ || may_be_up_to(most, columns_.rows().use(c.row), c.distance);
  }
  /// Hints that the key of the row is set soon.
  void prefetch(const candidate& c) const {
    if (uses_salience_) columns_.prefetch_activation(c.node);
  }
  /// The same of row `i`, if there is one.
  void prefetch(const std::vector<candidate>& rows, std::size_t i) const {
    if (i < rows.size()) prefetch(rows[i]);
  }
  /// As far as that before they are needed.
  static constexpr std::size_t rows_ahead = 12;
  /// Strict total order. Precondition: both keys are set.
  [[nodiscard]] bool before(const candidate& a, const candidate& b) const;
  [[nodiscard]] bool smaller_id(node_no a, node_no b) const { return nodes_.id(a) < nodes_.id(b); }
  /// Nearest first.
  [[nodiscard]] bool nearer(const candidate& a, const candidate& b) const {
    if (a.distance != b.distance) return a.distance < b.distance;
    return smaller_id(a.node, b.node);
  }
  /// The order in which a budget keeps rows: higher salience first, then the earlier row.
  [[nodiscard]] bool kept_longer(const candidate& a, const candidate& b) const {
    if (a.salience != b.salience) return a.salience > b.salience;
    return before(a, b);
  }

private:
  static bool is_time(order_field field) {
    return field == order_field::version_created_at || field == order_field::head_created_at
           || field == order_field::head_last_updated_at;
  }
  [[nodiscard]] std::int64_t key_of(const candidate& c, const order_by& by) const;

  std::span<const order_by> order_;
  bool uses_salience_ = false;
  bool is_most_salient_first_ = false;
  /// Drawn ids ascend as time does: what is newest first is so within a moment as well.
  bool ties_descend_ = false;
  salience_scorer scorer_;
  seq_no at_;
  const attributes& columns_;
  const node_table& nodes_;
  const std::vector<walk_step>& steps_;
};

} // namespace mneme
