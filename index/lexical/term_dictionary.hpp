#pragma once
/// Interned strings: text ↔ dense number in order of first sight. One writer, concurrent readers;
/// texts never move.

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "index/columns/paged_column.hpp"
#include "index/lexical/hash_slots.hpp"
#include "index/numbers.hpp"

namespace mneme {

class term_dictionary {
public:
  /// Writer: the number of `text`, new if it was never seen.
  std::uint32_t intern(std::string_view text);

  /// Terms as they lie in an image: where each text ends, the texts, and the table of the hashes.
  struct saved_terms {
    std::span<const std::uint32_t> ends;
    std::string_view texts;
    std::span<std::uint64_t> slots;
  };
  /// Writer: all terms, into an empty dictionary, for whose life they stay where they lie; false if
  /// they do not fit together.
  [[nodiscard]] bool adopt(const saved_terms& saved);
  /// The table of the hashes, for an image. Only while nothing is interned.
  [[nodiscard]] std::span<const std::uint64_t> saved_slots() const { return numbers_.saved(); }

  /// Readers.
  [[nodiscard]] std::uint32_t find(std::string_view text) const; ///< or no_number
  [[nodiscard]] std::string_view text(std::uint32_t term) const {
    ensure(term < size(), "a text is asked for of a term that is there");
    const stored& s = texts_[term];
    return {s.begin, s.length};
  }
  [[nodiscard]] std::uint32_t size() const { return size_.load(std::memory_order_acquire); }

private:
  struct stored {
    const char* begin;
    std::size_t length;
  };

  const char* copy(std::string_view text);

  paged_column<stored> texts_;
  hash_slots numbers_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_left_ = 0;
  char* chunk_next_ = nullptr;
  std::atomic<std::uint32_t> size_{0};
};

} // namespace mneme
