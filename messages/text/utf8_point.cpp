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

} // namespace mneme
