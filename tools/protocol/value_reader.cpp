#include "tools/protocol/value_reader.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "messages/text/time_text.hpp"
#include "tools/protocol/base64.hpp"
#include "tools/protocol/near_name.hpp"

namespace mneme::protocol {

namespace {

/// The vector whose little-endian 32-bit floats the text has in base64.
result<std::vector<float>> floats_of(std::string_view text) {
  auto bytes = from_base64(text);
  if (!bytes || bytes->size() % sizeof(float) != 0)
    return fail(errc::bad_value, "a vector as text is base64 of little-endian 32-bit floats");
  std::vector<float> numbers(bytes->size() / sizeof(float));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint32_t bits = 0;
    for (std::size_t b = sizeof bits; b-- > 0;)
      bits = bits << 8U | static_cast<unsigned char>((*bytes)[i * sizeof bits + b]);
    numbers[i] = std::bit_cast<float>(bits);
  }
  return numbers;
}

} // namespace

result<timestamp> read_time(const json& value) {
  if (value.is_string()) return parse_timestamp(value.get_ref<const std::string&>());
  const timestamp t{value.get<std::int64_t>()};
  if (!is_valid(t)) return fail(errc::bad_time, "a time is from 1970 to the end of 2261");
  return t;
}

const json* value_reader::find(std::string_view key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::string_view value_reader::text_of(const json& value) {
  return value.get_ref<const std::string&>();
}

void value_reader::fail_at(const json_path& at, errc code, std::string message) {
  faults_.add({code, std::move(message), at.text()});
}

void value_reader::fail_key(std::string_view key, errc code, std::string message) {
  fail_at(at_.key(key), code, std::move(message));
}

void value_reader::fail_name(std::string_view key, const json& value,
                             std::span<const std::string_view> names) {
  std::string message = fmt::format("\"{}\" is not a {}", text_of(value), key);
  if (!names.empty()) message += fmt::format(" ({})", fmt::join(names, ", "));
  fail_key(key, errc::bad_value, std::move(message));
}

void value_reader::fail_type(std::string_view key, const json& value) {
  fail_key(key, errc::bad_value, not_a_memory_type(text_of(value)));
}

void value_reader::fail_edge_type(const json_path& at, const json& value) {
  fail_at(at, errc::invalid_edge_type, not_an_edge_type(text_of(value)));
}

template <class T>
std::optional<T> value_reader::keep(std::string_view key, result<T> parsed) {
  if (parsed) return std::move(*parsed);
  fail_key(key, parsed.error().code, std::move(parsed.error().message));
  return std::nullopt;
}

std::optional<std::string> value_reader::text(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return std::string(text_of(*value));
}

std::string value_reader::text_or(std::string_view key, std::string_view fallback) {
  const json* value = find(key);
  return std::string(value == nullptr ? fallback : text_of(*value));
}

std::optional<std::int64_t> value_reader::integer(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return value->get<std::int64_t>();
}

std::optional<double> value_reader::number(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return value->get<double>();
}

bool value_reader::flag(std::string_view key) {
  const json* value = find(key);
  return value != nullptr && value->get<bool>();
}

std::optional<timestamp> value_reader::time(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return keep(key, read_time(*value));
}

std::optional<memory_id> value_reader::id(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (text_of(*value).starts_with("mneme:")) {
    fail_key(key, errc::bad_id, "this is a uri; an id is wanted here, its 26 characters alone");
    return std::nullopt;
  }
  return keep(key, parse_memory_id(text_of(*value)));
}

std::optional<memory_id> value_reader::id_or_uri(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!text_of(*value).starts_with("mneme:")) return id(key);
  const auto parsed = uri(key);
  return parsed ? std::optional(parsed->id) : std::nullopt;
}

std::optional<memory_uri> value_reader::uri(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return keep(key, parse_memory_uri(text_of(*value)));
}

std::optional<seq_no> value_reader::seq(std::string_view key) {
  const auto number = integer(key);
  if (!number) return std::nullopt;
  if (*number < 0) {
    fail_key(key, errc::out_of_range, "a seq is not negative");
    return std::nullopt;
  }
  return seq_no{static_cast<std::uint64_t>(*number)};
}

std::optional<std::uint32_t> value_reader::version_or_none(std::string_view key) {
  const json* value = find(key);
  if (value != nullptr && value->is_number_integer() && *value == 0) return 0;
  return version(key);
}

std::optional<std::uint32_t> value_reader::version(std::string_view key) {
  const auto number = integer(key);
  if (!number) return std::nullopt;
  if (*number < 1 || *number > std::numeric_limits<std::uint32_t>::max()) {
    fail_key(key, errc::out_of_range, "a version is from 1 to 4294967295");
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*number);
}

std::optional<digest> value_reader::hash(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return keep(key, parse_digest(text_of(*value)));
}

std::optional<std::string> value_reader::bytes(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return keep(key, from_base64(text_of(*value)));
}

std::optional<std::vector<std::string>> value_reader::texts(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return value->get<std::vector<std::string>>();
}

std::optional<std::vector<float>> value_reader::vector(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return keep(key, floats_of(text_of(*value)));
  std::vector<float> numbers;
  numbers.reserve(value->size());
  // What is too large becomes infinite here, and the engine refuses it as bad_vector.
  for (const json& number : *value) numbers.push_back(static_cast<float>(number.get<double>()));
  return numbers;
}

std::uint8_t value_reader::edge_type_byte(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return 0;
  const auto type = parse_enum<edge_type>(text_of(*value));
  if (!type) fail_edge_type(at_.key(key), *value);
  return type ? static_cast<std::uint8_t>(*type) : std::uint8_t{0};
}

std::vector<edge_type> value_reader::edge_types(std::string_view key) {
  std::vector<edge_type> types;
  items(key, [&](const json& item, const json_path& at) {
    if (const auto type = parse_enum<edge_type>(text_of(item)))
      types.push_back(*type);
    else
      fail_edge_type(at, item);
  });
  return types;
}

edge_direction value_reader::direction_or(std::string_view key, edge_direction fallback) {
  static constexpr std::string_view names[] = {"out", "in", "both"};
  return name_among<edge_direction>(key, names).value_or(fallback);
}

void value_reader::object(std::string_view key, const std::function<void(value_reader&)>& read) {
  const json* value = find(key);
  if (value == nullptr) return;
  const json_path at = at_.key(key);
  value_reader member(*value, at, faults_);
  read(member);
}

void value_reader::items(std::string_view key,
                         const std::function<void(const json&, const json_path&)>& read) {
  const json* value = find(key);
  if (value == nullptr) return;
  const json_path list = at_.key(key);
  for (std::size_t i = 0; i < value->size(); ++i) read((*value)[i], list.item(i));
}

std::optional<std::int64_t> deadline_of(const json& request) {
  const auto given = request.find("deadline_ms");
  if (given == request.end() || given->is_null()) return std::nullopt;
  return given->get<std::int64_t>();
}

} // namespace mneme::protocol
