#pragma once
/// Reads the values of a JSON object whose shape has been checked into the library's types. What is
/// wrong is noted; later reads go on with defaults, so that parsing functions stay straight-line
/// and all faults of a request are told at once.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "messages/validate/fault_list.hpp"
#include "mneme/query.hpp"
#include "mneme/types.hpp"
#include "tools/protocol/json_path.hpp"
#include "tools/protocol/json_text.hpp"

namespace mneme::protocol {

class value_reader {
public:
  /// Borrows all three. `object` must be an object of the right shape.
  value_reader(const json& object, const json_path& at, fault_list& faults)
      : object_(object), at_(at), faults_(faults) {}

  /// The member, or nullptr where it is absent or null.
  [[nodiscard]] const json* find(std::string_view key) const;

  std::optional<std::string> text(std::string_view key);
  std::string text_or(std::string_view key, std::string_view fallback);
  std::optional<std::int64_t> integer(std::string_view key);
  std::optional<double> number(std::string_view key);
  bool flag(std::string_view key);
  std::optional<timestamp> time(std::string_view key);
  std::optional<memory_id> id(std::string_view key);
  /// An id, or the id of a uri.
  std::optional<memory_id> id_or_uri(std::string_view key);
  std::optional<memory_uri> uri(std::string_view key);
  std::optional<seq_no> seq(std::string_view key);
  std::optional<std::uint32_t> version(std::string_view key);
  std::optional<std::uint32_t> version_or_none(std::string_view key); ///< 0: of what is not there
  std::optional<digest> hash(std::string_view key);
  std::optional<std::string> bytes(std::string_view key); ///< base64
  std::optional<std::vector<std::string>> texts(std::string_view key);
  std::optional<std::vector<float>> vector(std::string_view key);
  /// Byte of an edge type. Unknown names are invalid_edge_type.
  std::uint8_t edge_type_byte(std::string_view key);
  /// Unknown names are invalid_edge_type.
  std::vector<edge_type> edge_types(std::string_view key);
  edge_direction direction_or(std::string_view key, edge_direction fallback);

  template <class Enum>
  std::optional<Enum> name(std::string_view key) {
    const json* value = find(key);
    if (value == nullptr) return std::nullopt;
    auto parsed = parse_enum<Enum>(text_of(*value));
    if (!parsed && std::is_same_v<Enum, memory_type>) fail_type(key, *value);
    if (!parsed) fail_name(key, *value, names_of_enum<Enum>());
    return parsed;
  }
  /// Of an enum whose names are given in its order, starting at 0.
  template <class Enum>
  std::optional<Enum> name_among(std::string_view key, std::span<const std::string_view> names) {
    const json* value = find(key);
    if (value == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == text_of(*value)) return static_cast<Enum>(i);
    fail_name(key, *value, names);
    return std::nullopt;
  }

  /// Calls `read` with a reader of the member object, if it is there.
  void object(std::string_view key, const std::function<void(value_reader&)>& read);
  /// Calls `read` with every item of the member list and its path.
  void items(std::string_view key,
             const std::function<void(const json& item, const json_path& at)>& read);

  void fail_at(const json_path& at, errc code, std::string message);
  void fail_key(std::string_view key, errc code, std::string message);
  [[nodiscard]] const json_path& path() const { return at_; }
  [[nodiscard]] fault_list& faults() { return faults_; }

private:
  static std::string_view text_of(const json& value);
  template <class Enum>
  static std::vector<std::string_view> names_of_enum() {
    std::vector<std::string_view> names;
    constexpr int most = 256;
    for (int byte = 0; byte < most; ++byte) {
      const auto name = to_string(static_cast<Enum>(byte));
      if (!name.empty())
        names.push_back(name);
      else if (!names.empty())
        break; // enums begin at 0 or 1, and have no holes
    }
    return names;
  }
  void fail_name(std::string_view key, const json& value,
                 std::span<const std::string_view> names = {});
  void fail_edge_type(const json_path& at, const json& value);
  void fail_type(std::string_view key, const json& value);
  /// Keeps a failed result's error under `key` and turns a good one into an optional.
  template <class T>
  std::optional<T> keep(std::string_view key, result<T> parsed);

  const json& object_;
  const json_path& at_;
  fault_list& faults_;
};

/// `value` read whole: what `read` returns, or what was wrong.
template <class T>
result<T> finish(const fault_list& faults, T&& value) {
  if (faults) return faults.refusal();
  return std::forward<T>(value);
}

/// RFC 3339 text or integer nanoseconds.
result<timestamp> read_time(const json& value);

/// deadline_ms of a request whose members were checked.
std::optional<std::int64_t> deadline_of(const json& request);

} // namespace mneme::protocol
