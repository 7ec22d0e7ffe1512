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

result<void> check_list(const json& value, const shape& item, const json_path& at) {
  if (!value.is_array()) return wrong_type("a list", value, at);
  for (std::size_t i = 0; i < value.size(); ++i)
    if (auto ok = check_shape(value[i], item, value, at.item(i)); !ok) return ok;
  return {};
}

result<void> check_map(const json& value, const shape& item, const json_path& at) {
  if (!value.is_object()) return wrong_type("an object", value, at);
  for (const auto& [name, member] : value.get_ref<const json::object_t&>()) {
    if (member.is_null()) continue;
    if (auto ok = check_shape(member, item, value, at.key(name)); !ok) return ok;
  }
  return {};
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
  switch (expected.kind) {
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
    if (!value.is_object()) return wrong_type("an object", value, at);
    return check_members(value, expected.keys, false, at);
  case shape_kind::list:
    return check_list(value, *expected.item, at);
  case shape_kind::map:
    return check_map(value, *expected.item, at);
  case shape_kind::custom:
    return expected.check(value, owner, at);
  }
  return {};
}

result<void> check_vector(const json& value, const json& /*owner*/, const json_path& at) {
  if (value.is_string()) return {};
  if (!value.is_array())
    return wrong_type("a list of numbers, or base64 of 32-bit floats", value, at);
  return check_list(value, shapes::number, at);
}

namespace {

/// All that is wrong, so that nobody has to find out one by one: the first with its place, the
/// others behind it.
std::unexpected<error> all_of(std::vector<error> faults) {
  constexpr std::size_t most_told = 8;
  error first = std::move(faults.front());
  for (std::size_t i = 1; i < std::min(faults.size(), most_told); ++i)
    first.message += fmt::format("; also at {}: {}", faults[i].at, faults[i].message);
  if (faults.size() > most_told)
    first.message += fmt::format("; and {} more", faults.size() - most_told);
  return std::unexpected(std::move(first));
}

} // namespace

result<void> check_members(const json& object, std::span<const key_shape> keys, bool has_op,
                           const json_path& at) {
  std::vector<error> faults;
  for (const auto& [name, member] : object.get_ref<const json::object_t&>()) {
    if (has_op && name == "op") continue;
    const key_shape* known = find_key(keys, name);
    if (known == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& k : keys) names.push_back(k.name);
      faults.push_back(unknown_key(name, names, at.key(name)).error());
      continue;
    }
    if (member.is_null()) continue;
    if (auto ok = check_shape(member, *known->value, object, at.key(name)); !ok)
      faults.push_back(std::move(ok.error()));
  }
  for (const auto& k : keys) {
    if (!k.required || is_given(object, k.name)) continue;
    faults.push_back({errc::missing_key, fmt::format("the key \"{}\" is missing", k.name),
                      at.key(k.name).text()});
  }
  if (faults.empty()) return {};
  return all_of(std::move(faults));
}

} // namespace mneme::protocol
