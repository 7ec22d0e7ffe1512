#include "messages/text/hashtag.hpp"

#include <utf8proc.h>

#include "messages/ensure.hpp"
#include "messages/text/composed.hpp"
#include "messages/text/lower_case.hpp"
#include "messages/text/utf8_point.hpp"

namespace mneme {

namespace {

utf8_point point_at(std::string_view text) {
  const utf8_point p = first_point(text);
  ensure(p.value >= 0, "hashtags are UTF-8");
  return p;
}

utf8_point last_point(std::string_view text) {
  return point_at(text.substr(point_start(text, text.size() - 1)));
}

bool is_space(utf8proc_int32_t c) {
  if ((c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F) || c == 0x85) return true;
  switch (utf8proc_category(c)) {
  case UTF8PROC_CATEGORY_ZS:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
    return true;
  default:
    return false;
  }
}

/// Punctuation and symbols: what a word does not begin with.
bool is_punctuation(utf8proc_int32_t c) {
  const auto category = utf8proc_category(c);
  return (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO)
         || (category >= UTF8PROC_CATEGORY_SM && category <= UTF8PROC_CATEGORY_SO);
}

template <class Cut>
std::string_view cut_front(std::string_view text, Cut cut) {
  while (!text.empty()) {
    const utf8_point p = point_at(text);
    if (!cut(p.value)) break;
    text.remove_prefix(p.bytes);
  }
  return text;
}
template <class Cut>
std::string_view cut_back(std::string_view text, Cut cut) {
  while (!text.empty()) {
    const utf8_point p = last_point(text);
    if (!cut(p.value)) break;
    text.remove_suffix(p.bytes);
  }
  return text;
}

} // namespace

std::string normalise_hashtag(std::string_view tag) {
  return composed(lower_case(cut_back(cut_front(tag, is_space), is_space)));
}

std::string_view hashtag_key(std::string_view normalised) {
  if (normalised.starts_with('#')) normalised.remove_prefix(1);
  return normalised;
}

std::vector<std::string> hashtag_words(std::string_view text) {
  std::vector<std::string> words;
  const auto is_trailing = [](utf8proc_int32_t c) {
    return is_punctuation(c) && c != '+' && c != '#';
  };
  while (!(text = cut_front(text, is_space)).empty()) {
    std::size_t end = 0;
    while (end < text.size()) {
      const utf8_point p = point_at(text.substr(end));
      if (is_space(p.value)) break;
      end += p.bytes;
    }
    const auto word = cut_back(cut_front(text.substr(0, end), is_punctuation), is_trailing);
    if (!word.empty()) words.push_back(normalise_hashtag(word));
    text.remove_prefix(end);
  }
  return words;
}

} // namespace mneme
