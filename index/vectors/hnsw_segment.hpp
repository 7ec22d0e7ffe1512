#pragma once
/// An immutable HNSW graph over the vectors at positions [begin, end), of which those with the same
/// codes are one point. It holds links only; vectors are compared by the codes in vector_rows. The
/// graph depends on nothing but the vectors in their order, and is the same whether it was built at
/// once, in steps, or read from an image of this build and extended.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "index/graph/visited_nodes.hpp"
#include "index/vectors/hnsw_build.hpp"
#include "index/vectors/segment_links.hpp"
#include "index/vectors/segment_points.hpp"
#include "index/vectors/vector_rows.hpp"

namespace mneme {

class hnsw_segment {
public:
  /// The graph over [begin, end): a copy of `base` (over [begin, base.end()); may be null) that the
  /// other vectors are inserted into. nullptr if `stop` was set meanwhile or memory ran out. The
  /// rows must outlive the segment.
  static std::unique_ptr<hnsw_segment> extend(const hnsw_segment* base, const vector_rows& rows,
                                              std::uint32_t begin, std::uint32_t end,
                                              const graph_parameters& p,
                                              const std::atomic<bool>& stop);

  [[nodiscard]] std::uint32_t begin() const { return begin_; }
  [[nodiscard]] std::uint32_t end() const { return end_; }

  /// Whether `accept` is asked for all that is kept on the way, or only where vectors of one point
  /// are chosen: then what it would not pass is proposed too, and takes room.
  enum class asking { on_the_way, later };

  /// Appends the positions of about the `ef` nearest vectors that `accept` passes, and more where
  /// many are one point, among which the k nearest are to be found; nearest first. What it does not
  /// pass is walked through. False (and nothing appended) if more than `compared_max` vectors would
  /// have to be looked at on level 0, which has them all.
  bool search(const prepared_query& query, std::size_t ef, std::size_t k,
              std::uint64_t compared_max, const std::function<bool(slot_no)>& accept, asking asked,
              std::vector<std::uint32_t>& positions) const;

  /// Its end, points and links.
  void write(image_writer& out) const;
  /// What was written of a segment that begins there, over the same vectors; nullptr if it is none
  /// of them.
  static std::unique_ptr<hnsw_segment> read(image_reader& in, const vector_rows& rows,
                                            std::uint32_t begin,
                                            const segment_links::saved_form& form);

private:
  hnsw_segment(const vector_rows& rows, std::uint32_t begin, std::uint32_t end,
               segment_points points, segment_links links);
  struct near_point;
  class nearest_few;
  /// Where a search at level 0 begins: the nearest few that the levels above have.
  [[nodiscard]] nearest_few descend(const prepared_query& query) const;
  /// The points that are linked from there at that level and were not met yet.
  void meet(std::uint32_t point, std::uint32_t level, visited_nodes& met,
            std::vector<std::uint32_t>& fresh) const;
  /// The vectors of `points`, which come nearest first.
  void append_vectors(std::span<const near_point> points, std::size_t ef, std::size_t k,
                      const std::function<bool(slot_no)>& accept, asking asked,
                      std::vector<std::uint32_t>& positions) const;

  const vector_rows& rows_;
  std::uint32_t begin_;
  std::uint32_t end_;
  segment_points points_;
  segment_links links_;
};

} // namespace mneme
