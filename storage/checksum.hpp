#pragma once
/// CRC-32C, which processors compute by themselves: for bytes that are checked whenever they are
/// read.

#include <cstdint>
#include <string_view>

namespace mneme {

std::uint32_t crc32c(std::string_view bytes);

} // namespace mneme
