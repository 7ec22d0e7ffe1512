#include "query/asked_words.hpp"

#include "messages/text/utf8_point.hpp"

namespace mneme {

namespace {

/// Latin punctuation, General Punctuation, CJK punctuation, full-width forms of ASCII's.
bool is_separator(std::int32_t c) {
  return (c >= 0x80 && c <= 0xBF) || (c >= 0x2000 && c <= 0x206F) || (c >= 0x3000 && c <= 0x303F)
         || (c >= 0xFF01 && c <= 0xFF0F);
}

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

std::vector<std::string> asked_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  while (!text.empty()) {
    const utf8_point p = first_point(text);
    const bool is_ascii = static_cast<unsigned char>(text.front()) < 0x80;
    const bool is_part = is_ascii ? is_word_byte(text.front()) : !is_separator(p.value);
    if (is_part && !inside) words.emplace_back();
    if (is_part)
      for (const char c : text.substr(0, p.bytes)) words.back().push_back(lowered(c));
    inside = is_part;
    text.remove_prefix(p.bytes);
  }
  return words;
}

} // namespace mneme
