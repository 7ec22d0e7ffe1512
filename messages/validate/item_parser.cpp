#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "messages/codec/record_codec.hpp"
#include "messages/text/time_text.hpp"

namespace mneme {

void item_parser::refuse(std::string_view why) {
  if (!failure_)
    failure_ = error{errc::corrupt, fmt::format("before byte {}: {}", in_.offset(), why), {}};
}

void item_parser::array_of(std::uint32_t size) {
  if (array() != size) refuse("an array of another length is expected");
}

std::uint64_t item_parser::unsigned_up_to(std::uint64_t greatest) {
  const std::uint64_t value = unsigned_integer();
  if (value <= greatest) return value;
  refuse("an integer is over its range");
  return 0;
}

void item_parser::fixed_binary(std::span<std::uint8_t> out) {
  const std::string_view bytes = binary();
  if (!ok()) return;
  if (bytes.size() != out.size()) return refuse("binary of another length is expected");
  std::memcpy(out.data(), bytes.data(), out.size());
}

result<void> item_parser::finish() {
  if (ok() && !in_.at_end()) refuse("bytes follow the record");
  if (!ok()) return std::unexpected(*failure_);
  return {};
}

void get(item_parser& in, float& v) {
  v = in.real32();
  if (in.ok() && !std::isfinite(v)) in.refuse("a number is not finite");
}

void get(item_parser& in, double& v) {
  v = in.real64();
  if (in.ok() && !std::isfinite(v)) in.refuse("a number is not finite");
}

void get(item_parser& in, timestamp& v) {
  v.ns = in.integer();
  if (in.ok() && !is_valid(v)) in.refuse("a time is from 1970 to the end of 2261");
}

} // namespace mneme
