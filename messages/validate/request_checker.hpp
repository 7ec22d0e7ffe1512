#pragma once
/// The checks that requests share. All that fail are told, in their order, of each place the first:
/// a validator is a plain list of checks.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "messages/validate/fault_list.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// Path of a key, put together only when it is needed: base, base[index] or base[index]tail.
struct key_path {
  std::string_view base;
  std::optional<std::size_t> index{};
  std::string_view tail{};

  [[nodiscard]] std::string text() const;
};

class request_checker {
public:
  [[nodiscard]] bool ok() const { return !faults_; }
  /// Whatever else is wrong would only be counted: lists need not be looked through to their end.
  [[nodiscard]] bool is_full() const { return faults_.is_full(); }
  [[nodiscard]] std::size_t faults() const { return faults_.size(); }
  void refuse(errc code, std::string message, const key_path& at);
  /// Takes over what another validator found.
  void require(result<void> other);
  void require(const fault_list& other);

  /// UTF-8 of at most `max_bytes`; says whether it is.
  bool text(const key_path& at, std::string_view value, std::size_t max_bytes);
  void optional_text(const key_path& at, const std::optional<std::string>& value,
                     std::size_t max_bytes);
  /// The same of what names somebody or something: bad_value if it is blank or has control
  /// characters. The empty text passes.
  void name(const key_path& at, std::string_view value, std::size_t max_bytes);
  void optional_name(const key_path& at, const std::optional<std::string>& value,
                     std::size_t max_bytes);
  /// bad_time outside 1970 to 2261.
  void time(const key_path& at, const std::optional<timestamp>& value);
  void finite(const key_path& at, double value);
  void unit_interval(const key_path& at, double value);
  void range(const key_path& at, std::int64_t value, std::int64_t least, std::int64_t greatest);
  template <class Enum>
  void known(const key_path& at, Enum value) {
    if (to_string(value).empty()) refuse(errc::bad_value, "not a value of the enum", at);
  }

  [[nodiscard]] result<void> done() const;
  [[nodiscard]] fault_list all() && { return std::move(faults_); }

private:
  fault_list faults_;
};

} // namespace mneme
