#include "messages/text/quoted_text.hpp"

#include <fmt/format.h>

namespace mneme {

namespace {

/// How many bytes at the begin of `text`, which is not empty, are a character that could begin a
/// line or disguise one; 0 = it is none.
std::size_t unruly_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2; // U+0080 to U+009F
  if (byte(0) == 0xD8 && byte(1) == 0x9C) return 2;                   // U+061C: a direction
  if (byte(0) != 0xE2) return 0;
  // U+200E, U+200F, and U+2028 to U+202E: lines, paragraphs, directions.
  const bool turns = byte(2) == 0x8E || byte(2) == 0x8F || (byte(2) >= 0xA8 && byte(2) <= 0xAE);
  if (byte(1) == 0x80 && turns) return 3;
  const bool isolates = byte(2) >= 0xA6 && byte(2) <= 0xA9; // U+2066 to U+2069
  return byte(1) == 0x81 && isolates ? 3 : 0;
}

/// With spaces in place of what is unruly, but for these characters.
std::string tamed(std::string_view text, std::string_view kept) {
  std::string told;
  told.reserve(text.size());
  while (!text.empty()) {
    const std::size_t unruly = kept.contains(text.front()) ? 0 : unruly_bytes(text);
    told.push_back(unruly == 0 ? text.front() : ' ');
    text.remove_prefix(unruly == 0 ? 1 : unruly);
  }
  return told;
}

} // namespace

std::string as_one_line(std::string_view text) {
  return tamed(text, "");
}

std::string as_plain_lines(std::string_view text) {
  return tamed(text, "\n\t");
}

std::string quoted_as_data(std::string_view text, const std::optional<source_class>& of) {
  const std::string begin =
      of ? fmt::format("> [untrusted, {}] ", to_string(*of)) : "> [untrusted] ";
  return begin + as_one_line(text);
}

} // namespace mneme
