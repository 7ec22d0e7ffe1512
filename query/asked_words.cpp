#include "query/asked_words.hpp"

namespace mneme {

namespace {

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
         || static_cast<unsigned char>(c) >= 0x80;
}

} // namespace

std::vector<std::string> asked_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    if (is_word_byte(c)) {
      if (!inside) words.emplace_back();
      words.back().push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    }
    inside = is_word_byte(c);
  }
  return words;
}

} // namespace mneme
