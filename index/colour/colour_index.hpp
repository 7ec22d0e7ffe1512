#pragma once
/// The colour space: hashtags, the points of coloured memories in L*a*b*, and their signals. One
/// writer, many readers; a reader at seq S sees exactly what S had. Part of the attributes owner.
///
/// Points lie in cubes of edge 16, and those in cells of edge 4. Each knows the box of its points,
/// the modes in it, and the latest access and greatest strength that any of them ever had: upper
/// bounds that hold for every seq, so that a best-first search need not look inside.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "index/colour/gravity.hpp"
#include "index/columns/paged_column.hpp"
#include "index/columns/signal_chain.hpp"
#include "index/columns/tag_table.hpp"
#include "index/numbers.hpp"

namespace mneme {

/// A coloured memory while chroma may find it: alive over seqs [begin, end).
struct stored_point {
  std::uint64_t begin;
  std::uint64_t end; ///< atomic
  double L;
  double a;
  double b;
  std::int64_t created_at_ns;
  std::uint32_t node;
  std::uint32_t next; ///< in the same cell: point + 1; 0 = none
  memory_mode mode;
  bool erased; ///< the memory was erased when the point ended
};

/// What bounds the scores of a set of points. Every field is read and written atomically.
struct point_bounds {
  std::array<double, 3> least;
  std::array<double, 3> greatest;
  std::int64_t last_accessed_ns;
  std::int64_t strength_e9;
  std::uint64_t modes; ///< bit of each mode; 0 = no points
};

inline constexpr std::uint32_t cells_per_edge = 4;
inline constexpr std::uint32_t cells_per_cube = cells_per_edge * cells_per_edge * cells_per_edge;
inline constexpr std::uint32_t cubes_of_L = 7;
inline constexpr std::uint32_t cubes_of_ab = 16;
inline constexpr std::uint32_t cube_count = cubes_of_L * cubes_of_ab * cubes_of_ab;

struct colour_cell {
  point_bounds bounds;
  std::uint32_t head; ///< atomic; newest point + 1, 0 = none
};
struct colour_cube {
  point_bounds bounds;
  std::array<colour_cell, cells_per_cube> cells;
};

/// What the writer is told of a memory's state.
struct coloured_state {
  node_no node;
  lab_point point;
  memory_mode mode{};
  timestamp created_at;
  bool findable = true; ///< neither tombstoned nor archived nor erased
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
  [[nodiscard]] bool alive(const stored_point& p, seq_no at) const {
    return p.begin <= at.value && at.value < load_acquire(p.end);
  }
  /// True if the point is the last one of its node.
  [[nodiscard]] bool is_last(std::uint32_t number) const;
  /// Null where there are no points yet.
  [[nodiscard]] const colour_cube* cube(std::uint32_t number) const {
    return cubes_[number].load(std::memory_order_acquire);
  }

  /// The state as of `at` with what reads back to `from` need.
  void save(image_writer& out, seq_no from, seq_no at) const;
  /// Into an empty index; false if it cannot be right.
  bool load(image_reader& in, seq_no at);

private:
  void append(const stored_point& p);
  colour_cube& cube_of(const stored_point& p, std::uint32_t& cell);
  [[nodiscard]] std::uint32_t last_of(node_no node) const;
  /// The number of points that began at `at` or before.
  [[nodiscard]] std::uint32_t points_through(seq_no at) const;

  tag_table tags_;
  signal_chain signals_;
  paged_column<stored_point> points_;
  sparse_column<std::uint32_t> last_of_node_; ///< point + 1; 0 = none
  std::atomic<std::uint32_t> size_{0};
  std::array<std::atomic<colour_cube*>, cube_count> cubes_{};
  std::vector<std::unique_ptr<colour_cube>> owned_;
};

} // namespace mneme
