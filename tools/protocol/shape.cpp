#include "tools/protocol/shape.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/near_name.hpp"

namespace mneme::protocol {

namespace {

std::string_view kind_of(const json& value) {
  if (value.is_null()) return "null";
  if (value.is_string()) return "text";
  if (value.is_boolean()) return "a boolean";
  if (value.is_number_integer()) return "an integer";
  if (value.is_number()) return "a float";
  return value.is_object() ? "an object" : "a list";
}

const key_shape* find_key(std::span<const key_shape> keys, std::string_view name) {
  const auto found = std::ranges::find(keys, name, &key_shape::name);
  return found == keys.end() ? nullptr : &*found;
}

void check_each(const json& value, const shape& expected, const json& owner, const json_path& at,
                fault_list& faults);

/// Of plain items the first fault is told: what is wrong with one number is so with a thousand.
void check_list(const json& value, const shape& item, const json_path& at, fault_list& faults) {
  if (!value.is_array()) return faults.add(wrong_type("a list", value, at).error());
  const bool is_plain = item.kind != shape_kind::object && item.check_all == nullptr;
  const std::size_t before = faults.size();
  for (std::size_t i = 0; i < value.size(); ++i) {
    check_each(value[i], item, value, at.item(i), faults);
    if (faults.is_full() || (is_plain && faults.size() > before)) return;
  }
}

void check_map(const json& value, const shape& item, const json_path& at, fault_list& faults) {
  if (!value.is_object()) return faults.add(wrong_type("an object", value, at).error());
  for (const auto& [name, member] : value.get_ref<const json::object_t&>())
    if (!member.is_null()) check_each(member, item, value, at.key(name), faults);
}

/// Of what has no members.
result<void> check_plain(const json& value, shape_kind kind, const json_path& at) {
  switch (kind) {
  case shape_kind::text:
    if (!value.is_string()) return wrong_type("text", value, at);
    return {};
  case shape_kind::integer:
    if (!value.is_number_integer()) return wrong_type("an integer", value, at);
    return {};
  case shape_kind::number:
    if (!value.is_number()) return wrong_type("a number", value, at);
    return {};
  case shape_kind::boolean:
    if (!value.is_boolean()) return wrong_type("true or false", value, at);
    return {};
  case shape_kind::time:
    if (!value.is_string() && !value.is_number_integer())
      return wrong_type("a time (RFC 3339 text or integer nanoseconds)", value, at);
    return {};
  case shape_kind::object:
  case shape_kind::list:
  case shape_kind::map:
  case shape_kind::custom:
    break;
  }
  return {};
}

void check_each(const json& value, const shape& expected, const json& owner, const json_path& at,
                fault_list& faults) {
  switch (expected.kind) {
  case shape_kind::object:
    if (expected.or_plain && !value.is_object()) return;
    if (!value.is_object()) return faults.add(wrong_type("an object", value, at).error());
    return check_members(value, expected.keys, false, at, faults);
  case shape_kind::list:
    return check_list(value, *expected.item, at, faults);
  case shape_kind::map:
    return check_map(value, *expected.item, at, faults);
  case shape_kind::custom:
    if (expected.check_all != nullptr) return expected.check_all(value, owner, at, faults);
    if (auto ok = expected.check(value, owner, at); !ok) faults.add(std::move(ok.error()));
    return;
  default:
    if (auto ok = check_plain(value, expected.kind, at); !ok) faults.add(std::move(ok.error()));
  }
}

} // namespace

std::unexpected<error> wrong_type(std::string_view expected, const json& value,
                                  const json_path& at) {
  return fail(errc::wrong_type, fmt::format("expected {}, not {}", expected, kind_of(value)),
              at.text());
}

std::unexpected<error> unknown_key(std::string_view key, std::span<const std::string_view> known,
                                   const json_path& at) {
  constexpr std::size_t few = 16;
  std::string hint = suggestion(key, known);
  if (hint.empty() && !known.empty() && known.size() <= few)
    hint = fmt::format("; there is {}", fmt::join(known, ", "));
  return fail(errc::unknown_key, fmt::format("unknown key \"{}\"{}", key, hint), at.text());
}

bool is_given(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && !found->is_null();
}

result<void> check_shape(const json& value, const shape& expected, const json& owner,
                         const json_path& at) {
  fault_list faults;
  check_each(value, expected, owner, at, faults);
  if (faults) return faults.refusal();
  return {};
}

result<void> check_vector(const json& value, const json& /*owner*/, const json_path& at) {
  if (value.is_string()) return {};
  if (!value.is_array())
    return wrong_type("a list of numbers, or base64 of 32-bit floats", value, at);
  fault_list faults;
  check_list(value, shapes::number, at, faults);
  if (faults) return faults.refusal();
  return {};
}

result<void> check_members(const json& object, std::span<const key_shape> keys, bool has_op,
                           const json_path& at) {
  fault_list faults;
  check_members(object, keys, has_op, at, faults);
  if (faults) return faults.refusal();
  return {};
}

void check_members(const json& object, std::span<const key_shape> keys, bool has_op,
                   const json_path& at, fault_list& faults) {
  for (const auto& [name, member] : object.get_ref<const json::object_t&>()) {
    if (has_op && name == "op") continue;
    const key_shape* known = find_key(keys, name);
    if (known == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& k : keys) names.push_back(k.name);
      faults.add(unknown_key(name, names, at.key(name)).error());
      continue;
    }
    if (!member.is_null()) check_each(member, *known->value, object, at.key(name), faults);
  }
  for (const auto& k : keys) {
    if (!k.required || is_given(object, k.name)) continue;
    faults.add({errc::missing_key, fmt::format("the key \"{}\" is missing", k.name),
                at.key(k.name).text()});
  }
}

json without_misshapen(const json& object, std::span<const key_shape> keys) {
  json kept = json::object();
  for (const auto& k : keys) {
    if (!is_given(object, k.name)) continue;
    const std::string name(k.name);
    const json& member = object[name];
    if (check_shape(member, *k.value, object, {})) {
      kept[name] = member;
    } else if (k.value == &shapes::data && member.is_object()) {
      json& data = kept[name] = json::object();
      for (const auto& [field, value] : member.items())
        if (json one{{field, value}}; check_shape(one, *k.value, object, {})) data.update(one);
    }
  }
  return kept;
}

} // namespace mneme::protocol
