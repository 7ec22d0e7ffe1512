#include "messages/text/lower_case.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <utf8proc.h>

#include "messages/ensure.hpp"
#include "messages/text/utf8_point.hpp"

namespace mneme {

namespace {

using code_point = utf8proc_int32_t;

constexpr code_point capital_i_with_dot = 0x130;
constexpr code_point combining_dot_above = 0x307;
constexpr code_point capital_sigma = 0x3A3;
constexpr code_point small_sigma = 0x3C3;
constexpr code_point final_sigma = 0x3C2;

std::vector<code_point> code_points(std::string_view text) {
  std::vector<code_point> points;
  points.reserve(text.size());
  while (!text.empty()) {
    const utf8_point p = first_point(text);
    ensure(p.value >= 0, "only UTF-8 is put into lower case");
    points.push_back(p.value);
    text.remove_prefix(p.bytes);
  }
  return points;
}

bool is_cased(code_point c) {
  switch (utf8proc_category(c)) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
    return true;
  default:
    return utf8proc_tolower(c) != c || utf8proc_toupper(c) != c;
  }
}

/// What stands inside a word without being a letter of it: marks, modifiers, apostrophes, dots.
bool is_case_ignorable(code_point c) {
  constexpr std::array<code_point, 12> inner = {'\'',   '.',    ':',    0xB7,   0x387,  0x55F,
                                                0x2018, 0x2019, 0x2024, 0x2027, 0xFE13, 0xFE52};
  switch (utf8proc_category(c)) {
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_ME:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_SK:
    return true;
  default:
    return std::ranges::find(inner, c) != inner.end();
  }
}

/// Behind a letter, and before none.
bool ends_word(const std::vector<code_point>& points, std::size_t i) {
  const auto reaches_letter = [&](auto from, auto to) {
    const auto found = std::find_if_not(from, to, is_case_ignorable);
    return found != to && is_cased(*found);
  };
  const auto at = points.begin() + static_cast<std::ptrdiff_t>(i);
  return reaches_letter(std::make_reverse_iterator(at), points.rend())
         && !reaches_letter(at + 1, points.end());
}

void append(std::string& out, code_point c) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto length = utf8proc_encode_char(c, bytes.data());
  out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
}

} // namespace

std::string lower_case(std::string_view text) {
  const std::vector<code_point> points = code_points(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i] == capital_i_with_dot) {
      append(out, 'i');
      append(out, combining_dot_above);
    } else if (points[i] == capital_sigma) {
      append(out, ends_word(points, i) ? final_sigma : small_sigma);
    } else {
      append(out, utf8proc_tolower(points[i]));
    }
  }
  return out;
}

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

} // namespace mneme
