#pragma once
/// Fixed samples of everything that docs/FORMATS.md describes: their bytes as the code writes them,
/// and the values that went in, by name. Every byte array counts up from another number, so that it
/// can be told apart in a dump.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "messages/codec/entry.hpp"
#include "messages/codec/records.hpp"
#include "messages/text/hex.hpp"

namespace mneme::testing {

using nlohmann::json;

template <std::size_t Size>
std::string hex_of(const std::array<std::uint8_t, Size>& bytes) {
  return mneme::hex_of(std::span<const std::uint8_t>(bytes));
}
using mneme::hex_of;

/// first, first + 1, …
template <class Array>
Array counting(std::uint8_t first) {
  Array out{};
  for (auto& byte : out) byte = first++;
  return out;
}
inline memory_id id_from(std::uint8_t first) {
  return {counting<decltype(memory_id::bytes)>(first)};
}
inline digest digest_from(std::uint8_t first) {
  return {counting<decltype(digest::bytes)>(first)};
}

inline constexpr timestamp noon{1'700'000'000'000'000'000};
inline constexpr timestamp later{1'700'000'000'500'000'000};

/// With every member set.
head sample_head();
json values_of_head();
edge_record sample_edge();

class format_samples {
public:
  void add(const std::string& name, std::string_view bytes, json values = nullptr) {
    bytes_[name] = hex_of(bytes);
    if (!values.is_null()) values_[name] = std::move(values);
  }
  [[nodiscard]] const json& bytes() const { return bytes_; }
  [[nodiscard]] const json& values() const { return values_; }

private:
  json bytes_ = json::object();
  json values_ = json::object();
};

void add_records(format_samples& s);
void add_topics(format_samples& s);
void add_journal(format_samples& s);
void add_roots(format_samples& s);
void add_files(format_samples& s);

} // namespace mneme::testing
