#pragma once
/// Texts one code point at a time.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mneme {

struct utf8_point {
  std::int32_t value = -1;
  std::size_t bytes = 1; ///< that it takes
};

/// The code point that the text begins with. A byte that begins none is a point of one byte and of
/// the value -1, so that a walk over any bytes ends. Precondition: the text is not empty.
utf8_point first_point(std::string_view text) noexcept;

/// Where the code point begins that the byte `at` stands in; `at` itself at the end of the text. Of
/// bytes that are no UTF-8 it is at most three before.
std::size_t point_start(std::string_view text, std::size_t at) noexcept;

} // namespace mneme
