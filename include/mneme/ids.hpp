#pragma once
/// Identifiers and instants as types of their own, so that a seq is never taken for a version.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "mneme/error.hpp"

namespace mneme {

/// 16-byte ULID: 48 bits of milliseconds, 80 random bits; raw bytes in keys, Crockford base32
/// (26 characters, upper case) in text. Orders bytewise, which is by time. All zero = no id.
struct memory_id {
  std::array<std::uint8_t, 16> bytes{};

  friend auto operator<=>(const memory_id&, const memory_id&) = default;
  [[nodiscard]] bool is_zero() const noexcept { return *this == memory_id{}; }
  /// The raw bytes, viewed as characters (for keys).
  [[nodiscard]] std::string_view raw() const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// Upper-case Crockford text of `id`, 26 characters.
std::string to_string(const memory_id& id);

/// Parses 26 characters of any case; I, L, O, U and values over 7ZZZ… are refused (bad_id).
result<memory_id> parse_memory_id(std::string_view text);

/// Position in the journal: the first entry is 1, an empty world is at 0.
struct seq_no {
  std::uint64_t value = 0;

  friend auto operator<=>(const seq_no&, const seq_no&) = default;
  [[nodiscard]] seq_no next() const noexcept { return {value + 1}; }
};

/// Nanoseconds since 1970-01-01T00:00:00Z; valid from 0 to the end of the year 2261.
struct timestamp {
  std::int64_t ns = 0;

  friend auto operator<=>(const timestamp&, const timestamp&) = default;
};

/// RFC 3339 in UTC with `Z`; a fraction only if it is not zero, trailing zeros cut.
std::string to_string(timestamp t);

/// Parses RFC 3339 with any offset and up to nine fractional digits, or a date alone, which is its
/// first moment in UTC (bad_time).
result<timestamp> parse_timestamp(std::string_view text);

/// SHA-256 output.
struct digest {
  std::array<std::uint8_t, 32> bytes{};

  friend auto operator<=>(const digest&, const digest&) = default;
  [[nodiscard]] bool is_zero() const noexcept { return *this == digest{}; }
  [[nodiscard]] std::string_view raw() const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// 64 lower-case hex digits.
std::string to_hex(const digest& d);
/// Parses 64 hex digits of any case (bad_value).
result<digest> parse_digest(std::string_view hex);

/// 16 raw bytes that name a world; part of every root.
struct world_id {
  std::array<std::uint8_t, 16> bytes{};

  friend auto operator<=>(const world_id&, const world_id&) = default;
  [[nodiscard]] std::string_view raw() const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// 32 lower-case hex digits.
std::string to_hex(const world_id& id);

} // namespace mneme

template <>
struct std::hash<mneme::memory_id> {
  /// Keyed anew in every process: callers may choose ids, and must not choose which of them meet.
  /// Nothing that lasts, is answered or is ordered may depend on it.
  std::size_t operator()(const mneme::memory_id& id) const noexcept;
};
