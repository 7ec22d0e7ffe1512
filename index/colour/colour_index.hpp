#pragma once
/// The colour space: hashtags, the points of coloured memories in L*a*b*, and their signals. One
/// writer, many readers; a reader at seq S sees exactly what S had. Part of the attributes owner.
///
/// Points lie in cubes of edge 16, and those in cells of edge 4. Each knows the box of its points,
/// the modes in it, and the latest access and greatest strength that any of them ever had: upper
/// bounds that hold for every seq, so that a best-first search need not look inside. Few of the
/// points of a cell were used lately, and its bounds are theirs alone: of the one used last, its
/// foremost, it knows which that is, and what bounds the use of the others.
///
/// What of a point a search compares lies in a brief, and the briefs of a cell in runs of eight:
///
///     cell ── last ──> run 7  [ p90 p71          ]       newest run, two places taken
///                        └──> run 2  [ p70 p66 … p11 ]   full
///
/// A place is the number of a brief: run · 8 + where in the run.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "index/colour/gravity.hpp"
#include "index/columns/paged_column.hpp"
#include "index/columns/signal_chain.hpp"
#include "index/columns/tag_table.hpp"
#include "index/numbers.hpp"

namespace mneme {

/// What bounds the score of a point beside its place, in four bytes: bits 0 and 1 are its mode, bit
/// 2 says that the memory was erased when the point ended, 3 to 8 are the greatest strength and 9
/// to 31 the latest access that it ever had, rounded up.
using point_use = std::uint32_t;
inline constexpr point_use use_erased = 1U << 2;

memory_mode mode_of(point_use use);
timestamp accessed_at_most(point_use use);
double strength_norm_at_most(point_use use);

/// A coloured memory while chroma may find it: alive over seqs [begin, end).
struct stored_point {
  std::uint64_t begin;
  std::uint64_t end; ///< atomic
  std::int64_t created_at_ns;
  std::uint32_t node;
  std::uint32_t place; ///< of its brief
};

/// What a search compares of a point.
struct alignas(32) point_brief {
  lab_point at;
  std::uint32_t number; ///< of the point
  point_use use;        ///< atomic
};
static_assert(sizeof(stored_point) + sizeof(point_brief) == 64);
inline constexpr std::uint32_t briefs_per_run = 8;

/// What bounds the scores of a set of points. Every field is read and written atomically.
struct point_bounds {
  std::array<float, 3> least;
  std::array<float, 3> greatest;
  point_use use;       ///< the greatest strength and the latest access; no mode
  std::uint32_t modes; ///< bit of each mode; 0 = no points
};

inline constexpr std::uint32_t cells_per_edge = 4;
inline constexpr std::uint32_t cells_per_cube = cells_per_edge * cells_per_edge * cells_per_edge;
inline constexpr std::uint32_t cubes_of_L = 7;
inline constexpr std::uint32_t cubes_of_ab = 16;
inline constexpr std::uint32_t cube_count = cubes_of_L * cubes_of_ab * cubes_of_ab;

struct colour_cell {
  point_bounds bounds;
  point_use others;       ///< atomic; the use of all but the foremost
  std::uint32_t last;     ///< atomic; place of the newest brief + 1, 0 = none
  std::uint32_t foremost; ///< atomic; place of the brief used last + 1, 0 = none
};
struct colour_cube {
  std::uint64_t occupied; ///< atomic; bit of each cell that has points
  std::array<colour_cell, cells_per_cube> cells;
};

/// What the writer is told of a memory's state.
struct coloured_state {
  node_no node;
  lab_point point;
  memory_mode mode{};
  timestamp created_at;
  bool findable = true; ///< neither archived nor erased, nor tombstoned but as superseded
  bool erased = false;
};

class colour_index {
public:
  colour_index() = default;
  ~colour_index();
  colour_index(const colour_index&) = delete;
  colour_index& operator=(const colour_index&) = delete;

  // Writer.
  [[nodiscard]] tag_table& tags() { return tags_; }
  /// The memory's state from `begin` on; nothing happens if it is as it was.
  void put(const coloured_state& state, seq_no begin);
  /// Of a node that put() has seen.
  void set_signals(node_no node, seq_no seq, const colour_signals& values);
  void retain_from(seq_no seq) { signals_.retain_from(seq); }
  /// Earlier signals that are kept.
  [[nodiscard]] std::uint64_t history_size() const { return signals_.history_size(); }

  // Readers.
  [[nodiscard]] const tag_table& tags() const { return tags_; }
  [[nodiscard]] std::optional<colour_signals> signals_of(node_no node, seq_no at) const {
    return signals_.find(node, at);
  }
  /// The mode a memory was written with; nullopt without a colour.
  [[nodiscard]] std::optional<memory_mode> mode_of(node_no node) const;
  [[nodiscard]] std::uint32_t point_count() const { return size_.load(std::memory_order_acquire); }
  [[nodiscard]] const stored_point& point(std::uint32_t number) const { return points_[number]; }
  [[nodiscard]] const point_brief& brief(std::uint32_t place) const { return briefs_[place]; }
  [[nodiscard]] memory_mode mode_of(const stored_point& p) const {
    return mneme::mode_of(load_acquire(briefs_[p.place].use));
  }
  [[nodiscard]] bool alive(const stored_point& p, seq_no at) const {
    return p.begin <= at.value && at.value < load_acquire(p.end);
  }
  /// True if the point is the last one of its node.
  [[nodiscard]] bool is_last(std::uint32_t number) const;
  /// Of all points of a cube; no modes where there are no points yet.
  [[nodiscard]] const point_bounds& bounds_of_cube(std::uint32_t number) const {
    return cube_bounds_[number];
  }
  /// Null where there are no points yet.
  [[nodiscard]] const colour_cube* cube(std::uint32_t number) const {
    return cubes_[number].load(std::memory_order_acquire);
  }

  /// Calls `visit(place, brief)` for the points of a cell.
  template <class Visit>
  void for_each_brief(const colour_cell& cell, const Visit& visit) const {
    for (std::uint32_t last = load_acquire(cell.last); last != 0;) {
      const std::uint32_t first = (last - 1) / briefs_per_run * briefs_per_run;
      const point_brief* const run = &briefs_[first];
      for (std::uint32_t i = last - first; i-- > 0;) visit(first + i, run[i]);
      last = run_before_[first / briefs_per_run];
      ensure(last <= first, "the runs of a cell lead to older ones");
    }
  }

  /// The state as of `at` with what reads back to `from` need, of the memories that are to be kept.
  void save(image_writer& out, seq_no from, seq_no at,
            const std::function<bool(node_no)>& is_kept) const;
  /// Into an empty index; false if it cannot be right.
  bool load(image_reader& in, seq_no at);

private:
  /// A cell and the cube that has it.
  struct home {
    colour_cube& cube;
    point_bounds& cube_bounds;
    std::uint32_t cell;
  };
  void append(stored_point p, const lab_point& at, point_use use);
  home home_of(const lab_point& at);
  std::uint32_t next_place(const colour_cell& cell);
  void mark_erased(const stored_point& p, bool erased);
  void cover_earlier_points();
  [[nodiscard]] std::uint32_t last_of(node_no node) const;
  /// The number of points that began at `at` or before.
  [[nodiscard]] std::uint32_t points_through(seq_no at) const;

  tag_table tags_;
  signal_chain signals_;
  paged_column<stored_point> points_;
  paged_column<point_brief> briefs_;       ///< by place
  paged_column<std::uint32_t> run_before_; ///< by run: end of the cell's run before it; 0 = none
  std::uint32_t run_count_ = 0;
  sparse_column<std::uint32_t> last_of_node_; ///< point + 1; 0 = none
  std::atomic<std::uint32_t> size_{0};
  std::array<std::atomic<colour_cube*>, cube_count> cubes_{};
  std::array<point_bounds, cube_count> cube_bounds_{}; ///< together: a search looks at all of them
  std::vector<std::unique_ptr<colour_cube>> owned_;
};

} // namespace mneme
