#include "messages/text/utf8_point.hpp"

#include <utf8proc.h>

namespace mneme {

utf8_point first_point(std::string_view text) noexcept {
  utf8proc_int32_t value = -1;
  const auto taken = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                      static_cast<utf8proc_ssize_t>(text.size()), &value);
  if (taken <= 0) return {};
  return {.value = value, .bytes = static_cast<std::size_t>(taken)};
}

std::size_t point_start(std::string_view text, std::size_t at) noexcept {
  const auto goes_on = [&](std::size_t byte) {
    return (static_cast<std::uint8_t>(text[byte]) & 0xC0U) == 0x80U;
  };
  for (int back = 0; back < 3 && at > 0 && at < text.size() && goes_on(at); ++back) --at;
  return at;
}

} // namespace mneme
