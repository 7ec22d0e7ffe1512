#include <limits>
#include <optional>

#include "query/predicate/compiled_predicate.hpp"

namespace mneme {

namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr number_span no_numbers{1, 0};

} // namespace

std::optional<number_span> compiled_predicate::span_of(node_op op, std::int64_t operand) {
  switch (op) {
  case node_op::eq:
    return number_span{operand, operand};
  case node_op::gt:
    return operand == highest ? no_numbers : number_span{operand + 1, highest};
  case node_op::gte:
    return number_span{operand, highest};
  case node_op::lt:
    return operand == lowest ? no_numbers : number_span{lowest, operand - 1};
  case node_op::lte:
    return number_span{lowest, operand};
  default:
    return {};
  }
}

/// Of an ordered test, which pass without gaps.
number_span compiled_predicate::importance_passing(const node& n) {
  number_span span = no_numbers;
  for (std::int64_t v = 0; v <= std::numeric_limits<std::uint8_t>::max(); ++v) {
    if (!test_value(n, {.kind = value_kind::number, .number = static_cast<double>(v)})) continue;
    if (span == no_numbers) span.first = v;
    span.last = v;
  }
  return span;
}

bool compiled_predicate::narrow_bounds(const node& n) {
  // That a row has the tag's bit does not say that it has the tag.
  if (n.op == node_op::has_tag && n.tag_term.value != no_number)
    bounds_.tags_asked |= brief_of_tag(n.tag_term);
  number_span* times = nullptr;
  switch (n.field.name) {
  case field_name::head_type:
    bounds_.types = static_cast<type_set>(bounds_.types & n.by_value);
    return true;
  case field_name::head_visibility:
    bounds_.visibilities = static_cast<std::uint8_t>(bounds_.visibilities & n.by_value);
    return true;
  case field_name::head_tombstoned:
    if ((n.by_value & 1U) == 0) bounds_.ask_flags(row_tombstoned);
    if ((n.by_value & 2U) == 0) bounds_.exclude_flags(row_tombstoned);
    return true;
  case field_name::head_declared_importance:
    if (n.op == node_op::ne || n.op == node_op::in) return false;
    bounds_.importance.narrow(importance_passing(n));
    return true;
  case field_name::head_created_at:
    times = &bounds_.created;
    break;
  case field_name::head_last_updated_at:
    times = &bounds_.last_updated;
    break;
  case field_name::version_valid_from:
    times = &bounds_.valid_from;
    break;
  default:
    return false;
  }
  if (n.operands.times_ns.size() != 1) return false;
  const auto span = span_of(n.op, n.operands.times_ns.front());
  if (span) times->narrow(*span);
  return span.has_value();
}

void compiled_predicate::divide(std::uint32_t index) {
  const node& n = nodes_[index];
  if (n.op == node_op::all_of) {
    for (const auto child : n.children) divide(child);
  } else if (!narrow_bounds(n)) {
    rest_.push_back(index);
  }
}

} // namespace mneme
