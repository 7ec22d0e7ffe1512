#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "messages/codec/records.hpp"
#include "messages/ensure.hpp"
#include "messages/validate/request_checker.hpp"
#include "messages/validate/schema.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

std::string data_path(std::string_view field) {
  return fmt::format("data.{}", field);
}

/// An integer stands for a number too, since JSON writes 1.0 as 1.
bool has_kind(const field_value& v, field_kind kind) {
  switch (kind) {
  case field_kind::text:
  case field_kind::name:
    return std::holds_alternative<std::string>(v);
  case field_kind::integer:
    return std::holds_alternative<std::int64_t>(v);
  case field_kind::real:
    return std::holds_alternative<double>(v) || std::holds_alternative<std::int64_t>(v);
  case field_kind::boolean:
    return std::holds_alternative<bool>(v);
  case field_kind::time:
    return std::holds_alternative<timestamp>(v);
  case field_kind::id:
    return std::holds_alternative<memory_id>(v);
  case field_kind::text_list:
    return std::holds_alternative<std::vector<std::string>>(v);
  }
  return false;
}

std::string_view kind_text(field_kind kind) {
  switch (kind) {
  case field_kind::text:
    return "text";
  case field_kind::name:
    return "a name";
  case field_kind::integer:
    return "an integer";
  case field_kind::real:
    return "a number";
  case field_kind::boolean:
    return "a boolean";
  case field_kind::time:
    return "a time";
  case field_kind::id:
    return "an id";
  case field_kind::text_list:
    return "a list of text";
  }
  return "";
}

/// One value, by itself.
result<void> check_shape(memory_type type, const std::string& name, const field_value& value) {
  const field_schema* field = find_field(type, name);
  if (field == nullptr)
    return fail(errc::unknown_key, fmt::format("a {} has no such data field", to_string(type)),
                is_utf8(name) ? data_path(name) : std::string("data"));
  if (!has_kind(value, field->kind))
    return fail(errc::wrong_type, fmt::format("{} is expected", kind_text(field->kind)),
                data_path(name));
  return {};
}

/// -?digits[.digits]
bool is_decimal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto take_digits = [&text] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count > 0;
  };
  if (!take_digits()) return false;
  if (text.empty()) return true;
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  return take_digits() && text.empty();
}

std::string joined(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_text(request_checker& check, const field_schema& field, const std::string& value) {
  const std::string at = data_path(field.name);
  if (!is_utf8(value)) return check.refuse(errc::bad_utf8, "not UTF-8", {at});
  if (field.required && is_blank(value))
    return check.refuse(errc::missing_field, "must not be blank", {at});
  if (field.kind == field_kind::name && std::ranges::find(field.names, value) == field.names.end())
    return check.refuse(errc::bad_value, "must be one of " + joined(field.names), {at});
  if (field.name == "cost.amount" && !is_decimal(value))
    check.refuse(errc::bad_value, "must be a decimal number, such as \"12.50\"", {at});
}

void check_value(request_checker& check, const field_schema& field, const field_value& value) {
  const std::string at = data_path(field.name);
  if (const auto* text = std::get_if<std::string>(&value)) {
    check_text(check, field, *text);
  } else if (const auto* number = std::get_if<double>(&value)) {
    check.finite({at}, *number);
    if (field.unit_interval) check.unit_interval({at}, *number);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    if (field.unit_interval) check.range({at}, *integer, 0, 1);
  } else if (const auto* time = std::get_if<timestamp>(&value)) {
    check.time({at}, *time);
  } else if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    for (std::size_t i = 0; i < list->size(); ++i) check.text({at, i}, (*list)[i], max_data_bytes);
  }
}

field_value default_value(const field_schema& field, timestamp created_at) {
  const std::string_view text = *field.default_text;
  switch (field.kind) {
  case field_kind::text:
  case field_kind::name:
    return std::string(text);
  case field_kind::integer:
    ensure(text == "0", "integer fields default to 0");
    return std::int64_t{0};
  case field_kind::real:
    ensure(text == "0", "number fields default to 0");
    return 0.0;
  case field_kind::boolean:
    ensure(text == "false", "boolean fields default to false");
    return false;
  case field_kind::time:
    ensure(text == "created_at", "time fields default to the time of creation");
    return created_at;
  case field_kind::id:
  case field_kind::text_list:
    break;
  }
  ensure(false, "ids and lists have no default");
  return {};
}

} // namespace

namespace {

std::string needed_text(memory_type type, const field_schema& field) {
  std::string text = fmt::format("a {} needs \"{}\"", to_string(type), field.name);
  if (!field.names.empty()) text += ", one of " + joined(field.names);
  return text;
}

/// The fields one by one, in the order in which they would be found wrong.
void check_fields(request_checker& check, memory_type type, const memory_data& data) {
  std::set<std::string_view> misshapen;
  for (const auto& [name, value] : data)
    if (auto shaped = check_shape(type, name, value); !shaped) {
      misshapen.insert(name);
      check.require(std::move(shaped));
    }
  for (const field_schema& field : fields_of(type)) {
    const auto found = data.find(field.name);
    if (found == data.end() && field.required)
      check.refuse(errc::missing_field, needed_text(type, field), {data_path(field.name)});
    else if (found != data.end() && !misshapen.contains(field.name))
      check_value(check, field, found->second);
  }
}

} // namespace

fault_list faults_of(memory_type type, const memory_data& data) {
  request_checker check;
  check.known({"type"}, type);
  if (check.ok()) check_fields(check, type, data);
  if (check.ok() && encode_data(type, data).size() > max_data_bytes)
    check.refuse(errc::limit_exceeded,
                 fmt::format("the data is over the limit of {} bytes", max_data_bytes), {"data"});
  return std::move(check).all();
}

result<void> validate_data(memory_type type, const memory_data& data) {
  if (const auto faults = faults_of(type, data)) return faults.refusal();
  return {};
}

memory_data with_defaults(memory_type type, memory_data data, timestamp created_at) {
  for (const field_schema& field : fields_of(type)) {
    const auto found = data.find(field.name);
    if (found == data.end()) {
      if (field.default_text)
        data.emplace(std::string(field.name), default_value(field, created_at));
    } else if (field.kind == field_kind::real) {
      // The stored kind is the schema's, however the caller wrote the number.
      if (const auto* integer = std::get_if<std::int64_t>(&found->second))
        found->second = static_cast<double>(*integer);
    }
  }
  return data;
}

} // namespace mneme
