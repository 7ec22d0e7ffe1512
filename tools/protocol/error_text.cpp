#include "tools/protocol/error_text.hpp"

#include <cstddef>

namespace mneme::protocol {

namespace {

bool goes_on(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

} // namespace

std::string error_text(std::string_view text) {
  constexpr std::size_t most = 1024;
  constexpr std::size_t shown = 200;
  constexpr std::size_t longest_point = 4; // a text that is no UTF-8 is cut somewhere too
  if (text.size() <= most) return std::string(text);
  std::size_t begin = shown;
  while (begin > shown - longest_point && goes_on(text[begin])) --begin;
  std::size_t end = text.size() - shown;
  while (end < text.size() - shown + longest_point && goes_on(text[end])) ++end;
  return std::string(text.substr(0, begin)) + "…" + std::string(text.substr(end));
}

} // namespace mneme::protocol
