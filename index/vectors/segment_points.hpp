#pragma once
/// Which vectors of a segment are one point of its graph: those with the same codes, which no graph
/// over codes can tell apart. Were each a point of its own, many copies of one vector would fill
/// each other's links, and nothing would lead from them to the rest.
///
/// Points are numbered in the order of their first positions, so what is extended at its end keeps
/// its numbers. Where all codes differ, nothing is stored.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "index/image.hpp"
#include "index/vectors/vector_rows.hpp"

namespace mneme {

class segment_points {
public:
  /// Those over the vectors at [begin, end).
  segment_points(const vector_rows& rows, std::uint32_t begin, std::uint32_t end);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// The first position of `point`: that whose codes stand for it.
  [[nodiscard]] std::uint32_t first(std::uint32_t point) const {
    return firsts_.empty() ? begin_ + point : firsts_[point];
  }
  /// The further positions of `point`, ascending.
  [[nodiscard]] std::span<const std::uint32_t> further(std::uint32_t point) const {
    if (firsts_.empty()) return {};
    return std::span(further_).subspan(further_from_[point],
                                       further_from_[point + 1] - further_from_[point]);
  }

  void write(image_writer& out) const;
  /// Those over the vectors at [begin, end); nullopt if what is there are no points of them.
  static std::optional<segment_points> read(image_reader& in, const vector_rows& rows,
                                            std::uint32_t begin, std::uint32_t end);

private:
  /// Each position is a point.
  segment_points(std::uint32_t begin, std::uint32_t size) : begin_(begin), size_(size) {}
  /// From what position has the same codes, or itself, for each.
  void number(std::span<const std::uint32_t> first_alike);

  std::uint32_t begin_;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> firsts_;       ///< by point; empty: each position is a point
  std::vector<std::uint32_t> further_from_; ///< by point, and the end: where its part begins
  std::vector<std::uint32_t> further_;      ///< positions
};

} // namespace mneme
