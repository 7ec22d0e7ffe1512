#pragma once
/// What a term gives a document, looked up by count and length instead of divided out: for lists so
/// long that most of what they say was said before.

#include <cstdint>
#include <vector>

#include "query/search/bm25.hpp"

namespace mneme {

class score_table {
public:
  /// Filling it costs as much as so many divisions.
  static constexpr std::uint32_t size = 256;

  score_table() = default; ///< all is divided out
  /// Worth it for more documents than it has entries.
  explicit score_table(const bm25_term& by) : entries_(size) {
    for (std::uint32_t count = 1; count <= counts; ++count)
      for (std::uint32_t length = 0; length < lengths; ++length)
        entries_[place(count, length)] = by.score(count, length);
  }

  [[nodiscard]] bool is_filled() const { return !entries_.empty(); }
  /// The same as `by` says, to the last bit. Precondition: is_filled(), and count > 0.
  [[nodiscard]] double score(const bm25_term& by, std::uint32_t count, std::uint32_t length) const {
    if (count <= counts && length < lengths) [[likely]]
      return entries_[place(count, length)];
    return by.score(count, length);
  }

private:
  static constexpr std::uint32_t counts = 2;
  static constexpr std::uint32_t lengths = size / counts;

  static std::uint32_t place(std::uint32_t count, std::uint32_t length) {
    return (count - 1) * lengths + length;
  }

  std::vector<double> entries_;
};

} // namespace mneme
