#pragma once
/// Bytes as hex digits in lower case.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mneme {

std::string hex_of(std::span<const std::uint8_t> bytes);
std::string hex_of(std::string_view bytes);

} // namespace mneme
