#include "query/find/row_order.hpp"

#include <bit>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Maps doubles (no NaN) to integers of the same order; both zeros to one.
std::int64_t sortable(double v) {
  const auto bits = std::bit_cast<std::int64_t>(v + 0.0);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

/// The first 63 bits, which order as ids do as far as they go.
std::int64_t beginning_of(const memory_id& id) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof(bits); ++i) bits = bits << 8 | id.bytes[i];
  return static_cast<std::int64_t>(bits >> 1);
}

} // namespace

std::int64_t row_order::key_of(const candidate& c, const order_by& by) const {
  std::int64_t key = 0;
  switch (by.field) {
  case order_field::salience:
    key = sortable(c.salience);
    break;
  case order_field::version_created_at:
    key = columns_.rows().rest(c.row).version_created_at_ns;
    break;
  case order_field::head_last_updated_at:
    key = columns_.rows().line(c.row).last_updated_at_ns;
    break;
  case order_field::head_declared_importance:
    key = columns_.rows().line(c.row).importance;
    break;
  case order_field::near_distance:
    key = sortable(c.distance);
    break;
  case order_field::hop:
    ensure(c.step < steps_.size(), "what is ordered by hops was walked to");
    key = steps_[c.step].hop;
    break;
  case order_field::head_created_at:
    key = columns_.rows().line(c.row).created_at_ns;
    break;
  case order_field::head_id:
    key = beginning_of(nodes_.id(c.node));
    break;
  }
  return by.descending ? ~key : key;
}

void row_order::set_salience(candidate& c) const {
  c.salience = c.tombstoned ? 0.0 : scorer_(columns_.activation_of(c.node, at_), c.distance);
}

bool row_order::may_be_up_to(std::int64_t most, use_bound use, double distance) const {
  ensure(is_most_salient_first_, "use bounds salience alone");
  return ~sortable(scorer_.at_most(used_at_most(use), distance)) <= most;
}

bool row_order::before(const candidate& a, const candidate& b) const {
  if (a.key != b.key) return a.key < b.key;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    // Its key is not all of it, and no two are the same.
    if (order_[i].field == order_field::head_id)
      return order_[i].descending ? smaller_id(b.node, a.node) : smaller_id(a.node, b.node);
    if (i == 0) continue;
    const std::int64_t left = key_of(a, order_[i]);
    const std::int64_t right = key_of(b, order_[i]);
    if (left != right) return left < right;
  }
  return ties_descend_ ? smaller_id(b.node, a.node) : smaller_id(a.node, b.node);
}

} // namespace mneme
