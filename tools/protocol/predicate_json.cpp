#include "tools/protocol/predicate_json.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mneme::protocol {

namespace {

/// What stands under an operator.
enum class operand : std::uint8_t { compare, in, text, matches, list, one };

struct operator_shape {
  std::string_view name;
  operand takes;
  comparison op = comparison::eq;
};

constexpr std::array operators = {
    operator_shape{"eq", operand::compare, comparison::eq},
    operator_shape{"ne", operand::compare, comparison::ne},
    operator_shape{"gt", operand::compare, comparison::gt},
    operator_shape{"gte", operand::compare, comparison::gte},
    operator_shape{"lt", operand::compare, comparison::lt},
    operator_shape{"lte", operand::compare, comparison::lte},
    operator_shape{"in", operand::in},
    operator_shape{"has_tag", operand::text},
    operator_shape{"matches", operand::matches},
    operator_shape{"and", operand::list},
    operator_shape{"or", operand::list},
    operator_shape{"not", operand::one},
};

const operator_shape* find_operator(std::string_view name) {
  const auto found = std::ranges::find(operators, name, &operator_shape::name);
  return found == operators.end() ? nullptr : &*found;
}

bool is_literal(const json& value) {
  return value.is_string() || value.is_number() || value.is_boolean();
}

/// null is the same as absent, here too.
bool is_present(const json::object_t::value_type& member) {
  return !member.second.is_null();
}

/// [field, second]: the list itself and the field; `second` is the caller's to check.
result<void> check_pair(const json& value, std::string_view second, const json_path& at) {
  if (!value.is_array()) return wrong_type(fmt::format("[field, {}]", second), value, at);
  if (value.size() != 2)
    return fail(errc::bad_value,
                fmt::format("expected [field, {}], not {} items", second, value.size()), at.text());
  if (!value[0].is_string()) return wrong_type("the name of a field", value[0], at.item(0));
  return {};
}

result<void> check_operand(const operator_shape& op, const json& value, const json_path& at) {
  switch (op.takes) {
  case operand::compare:
    if (auto ok = check_pair(value, "value", at); !ok) return ok;
    if (!is_literal(value[1]))
      return wrong_type("text, a number or a boolean", value[1], at.item(1));
    return {};
  case operand::in: {
    if (auto ok = check_pair(value, "[value…]", at); !ok) return ok;
    const json_path list = at.item(1);
    if (!value[1].is_array()) return wrong_type("a list of values", value[1], list);
    for (std::size_t i = 0; i < value[1].size(); ++i)
      if (!is_literal(value[1][i]))
        return wrong_type("text, a number or a boolean", value[1][i], list.item(i));
    return {};
  }
  case operand::text:
    if (!value.is_string()) return wrong_type("a tag", value, at);
    return {};
  case operand::matches:
    if (auto ok = check_pair(value, "pattern", at); !ok) return ok;
    if (!value[1].is_string()) return wrong_type("a pattern", value[1], at.item(1));
    return {};
  case operand::list:
    if (!value.is_array()) return wrong_type("a list of predicates", value, at);
    for (std::size_t i = 0; i < value.size(); ++i)
      if (auto ok = check_predicate(value[i], value, at.item(i)); !ok) return ok;
    return {};
  case operand::one:
    return check_predicate(value, value, at);
  }
  return {};
}

literal read_literal(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return value.get<double>();
}

std::vector<predicate> read_predicates(const json& list) {
  std::vector<predicate> items;
  items.reserve(list.size());
  for (const json& item : list) items.push_back(read_predicate(item));
  return items;
}

} // namespace

result<void> check_predicate(const json& value, const json&, const json_path& at) {
  if (!value.is_object()) return wrong_type("a predicate, an object of one key", value, at);
  const auto& members = value.get_ref<const json::object_t&>();
  // The operators that are not known come first, so that a mistyped one is called that.
  for (const auto& [name, member] : members) {
    if (find_operator(name) != nullptr) continue;
    std::vector<std::string_view> names;
    names.reserve(operators.size());
    for (const auto& op : operators) names.push_back(op.name);
    return unknown_key(name, names, at.key(name));
  }
  const auto present = std::ranges::count_if(members, is_present);
  if (present != 1)
    return fail(errc::bad_value, fmt::format("a predicate has exactly one key, not {}", present),
                at.text());
  const auto& [name, member] = *std::ranges::find_if(members, is_present);
  return check_operand(*find_operator(name), member, at.key(name));
}

predicate read_predicate(const json& value) {
  const auto& [name, member] =
      *std::ranges::find_if(value.get_ref<const json::object_t&>(), is_present);
  const operator_shape& op = *find_operator(name);
  switch (op.takes) {
  case operand::compare:
    return {compare_predicate{op.op, member[0].get<std::string>(), read_literal(member[1])}};
  case operand::in: {
    in_predicate in{member[0].get<std::string>(), {}};
    for (const json& item : member[1]) in.values.push_back(read_literal(item));
    return {std::move(in)};
  }
  case operand::text:
    return {has_tag_predicate{member.get<std::string>()}};
  case operand::matches:
    return {matches_predicate{member[0].get<std::string>(), member[1].get<std::string>()}};
  case operand::list:
    if (name == "and") return {and_predicate{read_predicates(member)}};
    return {or_predicate{read_predicates(member)}};
  case operand::one:
    break;
  }
  return {not_predicate{std::make_shared<const predicate>(read_predicate(member))}};
}

} // namespace mneme::protocol
