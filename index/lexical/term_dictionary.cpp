#include "index/lexical/term_dictionary.hpp"

#include <algorithm>
#include <cstring>

namespace mneme {

namespace {

constexpr std::size_t chunk_bytes = 16 * 1024;

/// FNV-1a, folded: good enough for short labels and the same everywhere.
std::uint32_t hash_of_text(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<std::uint8_t>(c);
    hash *= 0x100000001B3ULL;
  }
  hash ^= hash >> 29;
  hash *= 0xBF58476D1CE4E5B9ULL;
  return static_cast<std::uint32_t>(hash >> 32);
}

} // namespace

std::uint32_t term_dictionary::find(std::string_view text) const {
  // Only a table of an image can name others than those that are there.
  return numbers_.find(hash_of_text(text), [&](std::uint32_t term) {
    return term < size() && this->text(term) == text;
  });
}

std::uint32_t term_dictionary::intern(std::string_view text) {
  if (const std::uint32_t known = find(text); known != no_number) return known;
  const std::uint32_t term = size_.load(std::memory_order_relaxed);
  ensure(term != no_number, "the dictionary is full");
  texts_.grow(term) = {copy(text), text.size()};
  size_.store(term + 1, std::memory_order_release);
  numbers_.insert(hash_of_text(text), term);
  return term;
}

bool term_dictionary::adopt(const saved_terms& saved) {
  ensure(size() == 0, "terms are adopted by an empty dictionary");
  std::uint32_t begin = 0;
  std::uint32_t term = 0;
  for (const std::uint32_t end : saved.ends) {
    if (end < begin || end > saved.texts.size()) return false;
    texts_.grow(term++) = {saved.texts.data() + begin, end - begin};
    begin = end;
  }
  if (begin != saved.texts.size() || !numbers_.adopt(saved.slots, term)) return false;
  size_.store(term, std::memory_order_release);
  return true;
}

const char* term_dictionary::copy(std::string_view text) {
  if (text.empty()) return "";
  if (text.size() > chunk_left_) {
    chunk_left_ = std::max(chunk_bytes, text.size());
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_left_));
    chunk_next_ = chunks_.back().get();
  }
  char* const begin = chunk_next_;
  std::memcpy(begin, text.data(), text.size());
  chunk_next_ += text.size();
  chunk_left_ -= text.size();
  return begin;
}

} // namespace mneme
