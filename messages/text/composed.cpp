#include "messages/text/composed.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include <utf8proc.h>

#include "messages/text/utf8_point.hpp"

namespace mneme {

namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string mapped(std::string text, utf8proc_option_t way) {
  if (is_ascii(text)) return text;
  utf8proc_uint8_t* made = nullptr;
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &made,
                                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | way));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(made, &std::free);
  if (length < 0) return text;
  return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(length)};
}

} // namespace

std::string composed(std::string text) {
  return mapped(std::move(text), UTF8PROC_COMPOSE);
}
std::string decomposed(std::string text) {
  return mapped(std::move(text), UTF8PROC_DECOMPOSE);
}

bool is_among(std::span<const std::string> names, std::string_view name) {
  return std::ranges::any_of(names, [&](const std::string& other) {
    return other == name || (!is_ascii(other) && composed(other) == name);
  });
}

std::string_view name_fault(std::string_view text) noexcept {
  bool is_blank = !text.empty();
  while (!text.empty()) {
    const utf8_point p = first_point(text);
    switch (utf8proc_category(p.value)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return "a name has no control characters or line breaks";
    case UTF8PROC_CATEGORY_ZS:
      break;
    default:
      is_blank = false;
    }
    text.remove_prefix(p.bytes);
  }
  return is_blank ? "a name is not blank" : std::string_view();
}

} // namespace mneme
