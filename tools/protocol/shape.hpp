#pragma once
/// The shape of requests: which keys an object has and of which JSON type each is. One table drives
/// the checks, their order (document order) and the help.

#include <cstdint>
#include <span>
#include <string_view>

#include "messages/validate/fault_list.hpp"
#include "tools/protocol/json_path.hpp"
#include "tools/protocol/json_text.hpp"

namespace mneme::protocol {

enum class shape_kind : std::uint8_t {
  text,
  integer,
  number,
  boolean,
  time,   ///< RFC 3339 text or integer nanoseconds
  object, ///< of `keys`
  list,   ///< of `item`
  map,    ///< any keys, values of `item`
  custom, ///< `check` decides
};

struct key_shape;

struct shape {
  shape_kind kind{};
  std::string_view name{}; ///< what help calls it
  std::span<const key_shape> keys{};
  const shape* item = nullptr;
  bool or_plain = false; ///< of an object: what is none stands there, too
  /// `owner` is the object that the value stands in.
  result<void> (*check)(const json& value, const json& owner, const json_path& at) = nullptr;
  /// Of custom, in place of `check`: for what may have more than one fault.
  void (*check_all)(const json& value, const json& owner, const json_path& at,
                    fault_list& faults) = nullptr;
  /// Of custom: what `check` takes, as JSON Schema; empty: anything.
  std::string_view json_schema{};
};

struct key_shape {
  std::string_view name;
  const shape* value = nullptr;
  bool required = false;
};

result<void> check_vector(const json& value, const json& owner, const json_path& at);

/// The plain shapes that every table is made of.
namespace shapes {
inline constexpr shape text{.kind = shape_kind::text, .name = "text"};
inline constexpr shape integer{.kind = shape_kind::integer, .name = "integer"};
inline constexpr shape number{.kind = shape_kind::number, .name = "number"};
inline constexpr shape boolean{.kind = shape_kind::boolean, .name = "true|false"};
inline constexpr shape time{.kind = shape_kind::time, .name = "time"};
inline constexpr shape texts{.kind = shape_kind::list, .name = "[text…]", .item = &text};
/// A list of numbers, or text: base64 of them as little-endian 32-bit floats, which takes a fourth
/// of the bytes and hardly any time.
inline constexpr shape vector{
    .kind = shape_kind::custom,
    .name = "[number…] or base64 of f32",
    .check = check_vector,
    .json_schema = R"({"anyOf":[{"type":"array","items":{"type":"number"}},)"
                   R"({"type":"string","description":"base64 of little-endian 32-bit floats"}]})"};
} // namespace shapes

/// null is the same as absent.
bool is_given(const json& object, std::string_view key);

/// unknown_key and wrong_type in document order, then missing_key. null is the same as absent.
result<void> check_shape(const json& value, const shape& expected, const json& owner,
                         const json_path& at);
/// The same of an object's members. `op` is a key of every request and of every batch item.
result<void> check_members(const json& object, std::span<const key_shape> keys, bool has_op,
                           const json_path& at);
void check_members(const json& object, std::span<const key_shape> keys, bool has_op,
                   const json_path& at, fault_list& faults);
/// Of an object the members that have their shape; of its data, the members of it that have.
json without_misshapen(const json& object, std::span<const key_shape> keys);

std::unexpected<error> wrong_type(std::string_view expected, const json& value,
                                  const json_path& at);
/// Names the nearest of `known` if it is near.
std::unexpected<error> unknown_key(std::string_view key, std::span<const std::string_view> known,
                                   const json_path& at);

} // namespace mneme::protocol
