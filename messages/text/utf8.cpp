#include <cstring>

#include <utf8proc.h>

#include "messages/validate/validate.hpp"

namespace mneme {

bool is_utf8(std::string_view bytes) noexcept {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  while (left > 0) {
    std::uint64_t block = 0;
    if (left >= sizeof block) {
      std::memcpy(&block, at, sizeof block);
      if ((block & 0x8080808080808080ULL) == 0) {
        at += sizeof block;
        left -= sizeof block;
        continue;
      }
    }
    if ((static_cast<unsigned char>(*at) & 0x80U) == 0) {
      ++at;
      --left;
      continue;
    }
    utf8proc_int32_t code_point = 0;
    const utf8proc_ssize_t length =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(at),
                         static_cast<utf8proc_ssize_t>(left), &code_point);
    if (length <= 0) return false;
    at += length;
    left -= static_cast<std::size_t>(length);
  }
  return true;
}

bool is_blank(std::string_view text) noexcept {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

} // namespace mneme
