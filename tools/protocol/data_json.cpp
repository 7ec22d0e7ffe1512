#include "tools/protocol/data_json.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "messages/ensure.hpp"
#include "messages/validate/schema.hpp"

namespace mneme::protocol {

namespace {

constexpr std::string_view cost_prefix = "cost.";
constexpr shape text_list = shapes::texts;

const shape& shape_of(field_kind kind) {
  switch (kind) {
  case field_kind::integer:
    return shapes::integer;
  case field_kind::real:
    return shapes::number;
  case field_kind::boolean:
    return shapes::boolean;
  case field_kind::time:
    return shapes::time;
  case field_kind::text_list:
    return text_list;
  case field_kind::text:
  case field_kind::id:
  case field_kind::name:
    break;
  }
  return shapes::text;
}

constexpr std::array cost_keys = {key_shape{"asset", &shapes::text},
                                  key_shape{"amount", &shapes::text}};
constexpr shape cost_shape{.kind = shape_kind::object, .name = "cost", .keys = cost_keys};

std::optional<memory_type> type_beside(const json& owner) {
  if (!owner.is_object()) return std::nullopt;
  if (const auto type = owner.find("type"); type != owner.end() && type->is_string())
    return parse_enum<memory_type>(type->get_ref<const std::string&>());
  if (const auto text = owner.find("uri"); text != owner.end() && text->is_string()) {
    const auto uri = parse_memory_uri(text->get_ref<const std::string&>());
    if (uri) return uri->type;
  }
  return std::nullopt;
}

/// The names of a type's fields as JSON keys.
std::vector<key_shape> keys_of(memory_type type) {
  std::vector<key_shape> keys;
  for (const field_schema& f : fields_of(type)) {
    if (!f.name.starts_with(cost_prefix))
      keys.push_back({f.name, &shape_of(f.kind)});
    else if (keys.empty() || keys.back().name != "cost")
      keys.push_back({"cost", &cost_shape});
  }
  return keys;
}

scalar scalar_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return value.get<double>();
}

json scalar_json(const scalar& value) {
  return std::visit([](const auto& v) { return json(v); }, value);
}

struct field_to_json {
  json operator()(timestamp t) const { return to_string(t); }
  json operator()(const memory_id& id) const { return to_string(id); }
  template <class T>
  json operator()(const T& value) const {
    return json(value);
  }
};

} // namespace

void check_data(const json& value, const json& owner, const json_path& at, fault_list& faults) {
  if (!value.is_object()) return faults.add(wrong_type("an object", value, at).error());
  if (const auto type = type_beside(owner)) check_members(value, keys_of(*type), false, at, faults);
}

result<void> check_meta_value(const json& value, const json&, const json_path& at) {
  if (is_scalar(value)) return {};
  if (!value.is_array()) return wrong_type("a scalar or a list of scalars", value, at);
  for (std::size_t i = 0; i < value.size(); ++i)
    if (!is_scalar(value[i])) return wrong_type("a scalar", value[i], at.item(i));
  return {};
}

memory_data read_data(memory_type type, value_reader& data) {
  memory_data fields;
  const auto put = [&](const field_schema& f, auto value) {
    if (value) fields.emplace(f.name, std::move(*value));
  };
  const auto read_field = [&](const field_schema& f, std::string_view key, value_reader& from) {
    switch (f.kind) {
    case field_kind::integer:
      return put(f, from.integer(key));
    case field_kind::real:
      return put(f, from.number(key));
    case field_kind::boolean:
      return put(f, from.find(key) ? std::optional(from.flag(key)) : std::nullopt);
    case field_kind::time:
      return put(f, from.time(key));
    case field_kind::id:
      return put(f, from.id(key));
    case field_kind::text_list:
      return put(f, from.texts(key));
    case field_kind::text:
    case field_kind::name:
      return put(f, from.text(key));
    }
  };
  for (const field_schema& f : fields_of(type)) {
    if (!f.name.starts_with(cost_prefix)) {
      read_field(f, f.name, data);
      continue;
    }
    const auto part = f.name.substr(cost_prefix.size());
    data.object("cost", [&](value_reader& cost) { read_field(f, part, cost); });
  }
  return fields;
}

json data_json(memory_type type, const memory_data& data) {
  json object = json::object();
  for (const field_schema& f : fields_of(type)) {
    const auto found = data.find(f.name);
    if (found == data.end()) continue;
    json value = std::visit(field_to_json{}, found->second);
    if (f.name.starts_with(cost_prefix))
      object["cost"][f.name.substr(cost_prefix.size())] = std::move(value);
    else
      object[f.name] = std::move(value);
  }
  return object;
}

metadata_map read_metadata(const json& object) {
  metadata_map metadata;
  for (const auto& [name, value] : object.get_ref<const json::object_t&>()) {
    if (value.is_null()) continue;
    if (value.is_array()) {
      std::vector<scalar> items;
      for (const json& item : value) items.push_back(scalar_of(item));
      metadata.emplace(name, std::move(items));
    } else {
      metadata.emplace(
          name, std::visit([](auto v) { return meta_value(std::move(v)); }, scalar_of(value)));
    }
  }
  return metadata;
}

json metadata_json(const metadata_map& metadata) {
  json object = json::object();
  for (const auto& [name, value] : metadata) {
    object[name] = std::visit(
        [](const auto& v) {
          if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::vector<scalar>>) {
            json list = json::array();
            for (const scalar& item : v) list.push_back(scalar_json(item));
            return list;
          } else {
            return json(v);
          }
        },
        value);
  }
  return object;
}

} // namespace mneme::protocol
