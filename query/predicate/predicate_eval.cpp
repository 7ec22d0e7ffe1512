#include <algorithm>

#include <re2/re2.h>

#include "index/columns/attributes.hpp"
#include "messages/ensure.hpp"
#include "messages/text/composed.hpp"
#include "query/predicate/compiled_predicate.hpp"

namespace mneme {

namespace {

constexpr std::int64_t open_end_ns = INT64_MAX;

field_view number_view(double v) {
  return {.kind = value_kind::number, .number = v};
}
field_view text_view(std::string_view v) {
  return {.kind = value_kind::text, .text = v};
}
field_view boolean_view(bool v) {
  return {.kind = value_kind::boolean, .boolean = v};
}
field_view time_view(std::int64_t ns) {
  return {.kind = value_kind::time, .time_ns = ns};
}
field_view id_view(const memory_id& id) {
  return {.kind = value_kind::id, .id = id};
}
field_view time_view(const std::optional<timestamp>& t) {
  return t ? time_view(t->ns) : field_view{};
}

struct view_of_value {
  field_view operator()(const std::string& v) const { return text_view(v); }
  field_view operator()(std::int64_t v) const { return number_view(static_cast<double>(v)); }
  field_view operator()(double v) const { return number_view(v); }
  field_view operator()(bool v) const { return boolean_view(v); }
  field_view operator()(timestamp v) const { return time_view(v.ns); }
  field_view operator()(const memory_id& v) const { return id_view(v); }
  template <class Element>
  field_view operator()(const std::vector<Element>&) const {
    return {};
  }
};

field_view record_value(const field_reference& field, const memory& m) {
  const head& h = m.head;
  const version& v = m.version;
  switch (field.name) {
  case field_name::unknown:
    return {};
  case field_name::head_id:
    return id_view(h.id);
  case field_name::head_type:
    return text_view(to_string(h.type));
  case field_name::head_current_version:
    return number_view(h.current_version);
  case field_name::head_actor_scope:
    return text_view(h.actor_scope);
  case field_name::head_visibility:
    return text_view(to_string(h.visibility));
  case field_name::head_declared_importance:
    return number_view(h.declared_importance);
  case field_name::head_tombstoned:
    return boolean_view(h.tombstone.has_value());
  case field_name::head_created_at:
    return time_view(h.created_at.ns);
  case field_name::head_last_updated_at:
    return time_view(h.last_updated_at.ns);
  case field_name::head_namespace:
    return h.key ? text_view(h.key->name_space) : field_view{};
  case field_name::head_key:
    return h.key ? text_view(h.key->name) : field_view{};
  case field_name::version_number:
    return number_view(v.number);
  case field_name::version_created_at:
    return time_view(v.created_at.ns);
  case field_name::version_created_by:
    return text_view(v.created_by);
  case field_name::version_expires_at:
    return time_view(v.expires_at);
  case field_name::version_confidence:
    return number_view(v.confidence);
  case field_name::version_provenance_source:
    return text_view(to_string(v.provenance.source));
  case field_name::version_signed_by_present:
    return boolean_view(!v.provenance.signed_by.empty());
  case field_name::version_valid_from:
    return time_view(v.valid_from.ns);
  case field_name::version_valid_until:
    return time_view(v.valid_until);
  case field_name::data: {
    const auto found = v.data.find(field.key);
    return found == v.data.end() ? field_view{} : std::visit(view_of_value{}, found->second);
  }
  case field_name::meta: {
    const auto found = h.metadata.find(field.key);
    return found == h.metadata.end() ? field_view{} : std::visit(view_of_value{}, found->second);
  }
  }
  return {};
}

/// Strict order of two values: -1, 0, 1.
template <class T, class U>
int order_of(const T& a, const U& b) {
  if (a < b) return -1;
  return b < a ? 1 : 0;
}

template <class T, class List>
bool contains(const List& sorted, const T& value) {
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), value);
  return found != sorted.end() && !(value < *found);
}

constexpr verdict to_verdict(bool v) {
  return v ? verdict::yes : verdict::no;
}

/// What a field that has few values has for `value`; kind none for another field.
field_view small_value(field_name field, unsigned value) {
  switch (field) {
  case field_name::head_type:
    return text_view(to_string(static_cast<memory_type>(value)));
  case field_name::head_visibility:
    return text_view(to_string(static_cast<visibility>(value)));
  case field_name::head_tombstoned:
    return boolean_view(value != 0);
  default:
    return {};
  }
}
constexpr unsigned small_values = 16;

constexpr verdict in_mask(std::uint32_t mask, unsigned value) {
  return to_verdict(((mask >> value % small_values) & 1U) != 0);
}

} // namespace

// The two ways in which values of one kind are tested, for every kind.
template <class T, class List>
bool compiled_predicate::test_ordered(node_op op, const T& value, const List& operands) {
  if (op == node_op::in) return contains(operands, value);
  return !operands.empty() && holds(op, order_of(value, operands.front()));
}

bool compiled_predicate::holds(node_op op, int sign) {
  switch (op) {
  case node_op::eq:
    return sign == 0;
  case node_op::ne:
    return sign != 0;
  case node_op::gt:
    return sign > 0;
  case node_op::gte:
    return sign >= 0;
  case node_op::lt:
    return sign < 0;
  case node_op::lte:
    return sign <= 0;
  default:
    return false;
  }
}

bool compiled_predicate::test_value(const node& n, const field_view& value) {
  const operand_lists& operands = n.operands;
  if (value.kind == value_kind::none) return false;
  if (n.op == node_op::matches)
    return value.kind == value_kind::text
           && re2::RE2::PartialMatch(re2::StringPiece(value.text.data(), value.text.size()),
                                     *n.pattern);
  switch (value.kind) {
  case value_kind::number:
    return test_ordered(n.op, value.number, operands.numbers);
  case value_kind::text:
    return test_ordered(n.op, value.text, operands.texts);
  case value_kind::time:
    return test_ordered(n.op, value.time_ns, operands.times_ns);
  case value_kind::id:
    return test_ordered(n.op, value.id, operands.ids);
  case value_kind::boolean:
    if (n.op == node_op::in) return value.boolean ? operands.has_true : operands.has_false;
    return (operands.has_true || operands.has_false)
           && holds(n.op, value.boolean == operands.has_true ? 0 : 1);
  case value_kind::none:
    break;
  }
  return false;
}

std::uint32_t compiled_predicate::values_passing(const node& n) {
  std::uint32_t mask = 0;
  for (unsigned v = 0; v < small_values; ++v) {
    const field_view value = small_value(n.field.name, v);
    if (value.kind == value_kind::none) break;
    if (test_value(n, value)) mask |= 1U << v;
  }
  return mask;
}

verdict compiled_predicate::test_actor(node& n, term_no actor, const attributes& columns) {
  ensure(actor.value != no_number, "a row has an actor");
  const std::size_t index = actor.value;
  if (index >= n.by_actor.size()) n.by_actor.resize(index + 1, verdict::open);
  verdict& known = n.by_actor[index];
  if (known == verdict::open)
    known = to_verdict(test_value(n, text_view(columns.actor_text(actor))));
  return known;
}

verdict compiled_predicate::test_columns(node& n, row_no row, const attributes& columns,
                                         const node_table& nodes) {
  switch (n.op) {
  case node_op::has_tag:
    return to_verdict(n.tagged->contains(row));
  case node_op::all_of:
  case node_op::any_of: {
    const verdict decisive = n.op == node_op::all_of ? verdict::no : verdict::yes;
    verdict all = n.op == node_op::all_of ? verdict::yes : verdict::no;
    for (const auto child : n.children) {
      const verdict v = test_columns(nodes_[child], row, columns, nodes);
      if (v == decisive) return v;
      if (v == verdict::open) all = v;
    }
    return all;
  }
  case node_op::negate: {
    const verdict v = test_columns(nodes_[n.children.front()], row, columns, nodes);
    return v == verdict::open ? v : to_verdict(v == verdict::no);
  }
  default:
    break;
  }
  if (n.tagged != nullptr) return to_verdict(n.tagged->contains(row));
  if (n.field.name == field_name::head_actor_scope)
    return test_actor(n, {columns.rows().line(row).actor}, columns);
  return test_field(n, row, columns.rows(), nodes);
}

// As test_value() of the record's value where the columns hold it; open where only the record
// tells.
verdict compiled_predicate::test_field(const node& n, row_no row, const row_store& rows,
                                       const node_table& nodes) {
  const row_line& c = rows.line(row);
  const auto number = [&n](double v) {
    return to_verdict(test_ordered(n.op, v, n.operands.numbers));
  };
  const auto time = [&n](std::int64_t ns) {
    return to_verdict(test_ordered(n.op, ns, n.operands.times_ns));
  };
  switch (n.field.name) {
  case field_name::unknown:
    return verdict::no;
  case field_name::head_id:
    return to_verdict(test_ordered(n.op, nodes.id({c.node}), n.operands.ids));
  case field_name::head_type:
    return in_mask(n.by_value, static_cast<unsigned>(c.type));
  case field_name::head_visibility:
    return in_mask(n.by_value, static_cast<unsigned>(c.visibility));
  case field_name::head_tombstoned:
    return in_mask(n.by_value, (c.flags & row_tombstoned) != 0 ? 1 : 0);
  case field_name::head_declared_importance:
    return number(c.importance);
  case field_name::head_created_at:
    return time(c.created_at_ns);
  case field_name::head_last_updated_at:
    return time(c.last_updated_at_ns);
  case field_name::head_current_version:
  case field_name::version_number:
    return number(rows.rest(row).version);
  case field_name::version_created_at:
    return time(rows.rest(row).version_created_at_ns);
  case field_name::version_confidence:
    return number(rows.rest(row).confidence);
  case field_name::version_valid_from:
    return time(c.valid_from_ns);
  case field_name::version_expires_at:
  case field_name::version_valid_until:
    // The column is the earlier of the two: only when it is open are both known (absent).
    return c.valid_until_ns == open_end_ns ? verdict::no : verdict::open;
  case field_name::data:
    return n.field.kind_by_type[static_cast<std::size_t>(c.type)] == value_kind::none
               ? verdict::no
               : verdict::open;
  case field_name::head_actor_scope:
  case field_name::head_namespace:
  case field_name::head_key:
  case field_name::version_created_by:
  case field_name::version_provenance_source:
  case field_name::version_signed_by_present:
  case field_name::meta:
    return verdict::open;
  }
  return verdict::open;
}

verdict compiled_predicate::test_columns(row_no row, const attributes& columns,
                                         const node_table& nodes) {
  ensure(!nodes_.empty(), "a compiled predicate has nodes");
  return test_columns(nodes_.back(), row, columns, nodes);
}

verdict compiled_predicate::test_rest(row_no row, const attributes& columns,
                                      const node_table& nodes) {
  verdict all = verdict::yes;
  for (const auto n : rest_) {
    const verdict v = test_columns(nodes_[n], row, columns, nodes);
    if (v == verdict::no) return v;
    if (v == verdict::open) all = v;
  }
  return all;
}

bool compiled_predicate::test_record(const node& n, const memory& m) const {
  const auto test = [&](std::uint32_t child) { return test_record(nodes_[child], m); };
  switch (n.op) {
  case node_op::has_tag:
    return is_among(m.head->tags, n.tag);
  case node_op::all_of:
    return std::ranges::all_of(n.children, test);
  case node_op::any_of:
    return std::ranges::any_of(n.children, test);
  case node_op::negate:
    return !test(n.children.front());
  default:
    return test_value(n, record_value(n.field, m));
  }
}

bool compiled_predicate::test_record(const memory& m) const {
  ensure(!nodes_.empty(), "a compiled predicate has nodes");
  return test_record(nodes_.back(), m);
}

int compiled_predicate::cost_of(const node& n) {
  switch (n.field.name) {
  case field_name::data:
  case field_name::meta:
  case field_name::head_key:
  case field_name::version_created_by:
  case field_name::version_provenance_source:
  case field_name::version_signed_by_present:
  case field_name::version_expires_at:
  case field_name::version_valid_until:
    return 2;
  case field_name::head_namespace:
    return n.tagged != nullptr ? 1 : 2;
  case field_name::head_current_version:
  case field_name::version_number:
  case field_name::version_created_at:
  case field_name::version_confidence:
    return 1;
  default:
    return n.op == node_op::has_tag ? 1 : 0;
  }
}

void compiled_predicate::assume_tag(term_no tag) {
  // A tag that was written for the first time since compile() has a term now and had none then: its
  // node stays as it is, and no row has it at the seq that is read.
  std::erase_if(rest_, [&](std::uint32_t n) {
    return nodes_[n].op == node_op::has_tag && nodes_[n].tag_term == tag;
  });
}

bool compiled_predicate::reads_rest() const {
  const auto reads = [this](const auto& self, const node& n) -> bool {
    return cost_of(n) == 1 || std::ranges::any_of(n.children, [&](std::uint32_t c) {
             return self(self, nodes_[c]);
           });
  };
  return std::ranges::any_of(rest_, [&](std::uint32_t n) { return reads(reads, nodes_[n]); });
}

bool compiled_predicate::may_stay_open() const {
  return std::ranges::any_of(nodes_, [](const node& n) { return cost_of(n) == 2; });
}

} // namespace mneme
