#include "messages/text/folded_text.hpp"

#include <algorithm>
#include <array>

#include <utf8proc.h>

#include "messages/text/utf8_point.hpp"

namespace mneme {

namespace {

bool parts_words(utf8proc_int32_t c) {
  switch (utf8proc_category(c)) {
  case UTF8PROC_CATEGORY_ZS:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
  case UTF8PROC_CATEGORY_CC:
    return true;
  default:
    return false;
  }
}

bool is_left_out(utf8proc_int32_t c) {
  return c >= 0x0300 && c <= 0x036F;
}

class folding {
public:
  void add(utf8proc_int32_t c) {
    if (is_left_out(c)) return;
    if (parts_words(c)) {
      has_space_ = true;
      return;
    }
    if (has_space_ && !text_.empty()) text_.push_back(' ');
    has_space_ = false;
    std::array<utf8proc_uint8_t, 4> encoded;
    const auto size = utf8proc_encode_char(c, encoded.data());
    text_.append(reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(size));
  }
  std::string take() { return std::move(text_); }

private:
  std::string text_;
  bool has_space_ = false;
};

} // namespace

std::string folded_text(std::string_view text) {
  constexpr auto how = static_cast<utf8proc_option_t>(UTF8PROC_CASEFOLD | UTF8PROC_DECOMPOSE
                                                      | UTF8PROC_COMPAT | UTF8PROC_IGNORE);
  folding folded;
  while (!text.empty()) {
    const utf8_point point = first_point(text);
    text.remove_prefix(point.bytes);
    std::array<utf8proc_int32_t, 32> parts{};
    int boundary_class = 0;
    const auto count =
        utf8proc_decompose_char(point.value, parts.data(),
                                static_cast<utf8proc_ssize_t>(parts.size()), how, &boundary_class);
    for (utf8proc_ssize_t i = 0; i < std::min<utf8proc_ssize_t>(count, std::ssize(parts)); ++i)
      folded.add(parts[static_cast<std::size_t>(i)]);
  }
  return folded.take();
}

} // namespace mneme
