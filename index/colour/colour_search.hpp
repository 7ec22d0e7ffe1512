#pragma once
/// Exact best-first search over the colour space: gives the memories in the order of their score,
/// one by one, and looks into a cube only when nothing outside it can be better. What it costs
/// follows what is asked for, not what is stored. The points of a cell that it looks into are
/// ordered by bounds too: of few it looks at rows and signals, and computes the score.

#include <functional>
#include <optional>
#include <vector>

#include "index/colour/colour_index.hpp"
#include "index/colour/mnemosyne.hpp"
#include "index/columns/attributes.hpp"
#include "index/rows/node_table.hpp"
#include "messages/exp_ceiling.hpp"

namespace mneme {

struct colour_query {
  lab_point point;
  timestamp now;
  seq_no at;
  std::optional<score_weights> weights; ///< else those of each memory's mode
  std::optional<double> max_distance;   ///< inclusive
  std::optional<time_range> created_or_accessed;
  bool include_rotten = false;
  bool nearest_first = false; ///< order by distance instead of by score
  using accept_type = std::function<bool(row_no row)>;
  /// The row may be in the answer; empty = all may.
  accept_type accept;
  /// Asked before each cell and each point is looked into; no ends the search. Empty = it goes on.
  std::function<bool()> goes_on = {};
};

struct colour_hit {
  node_no node;
  row_no row;
  lab_point point;
  memory_mode mode{};
  colour_signals before; ///< as of the seq read
  double distance = 0;
  chroma_signals signals;
};

class colour_search {
public:
  /// Borrows both indexes.
  colour_search(const attributes& rows, const node_table& nodes, colour_query query);

  /// The next best: score descending, distance ascending, id ascending (nearest_first: distance
  /// ascending, id ascending). nullopt when there are no more.
  std::optional<colour_hit> next();
  /// Points looked at so far, beyond their bounds: of those that `accept` knows, at the seq read;
  /// without it, all.
  [[nodiscard]] std::uint64_t visited() const { return visited_; }

private:
  /// A cell comes apart into its foremost point and the others, those into points.
  enum class item_kind : std::uint8_t { cube, cell, others, point, hit };
  struct item {
    double key; ///< nothing in it comes before this; higher comes first
    item_kind kind;
    std::uint32_t number;       ///< of the cube; cube · cells_per_cube + cell; place; of the hit
    std::uint32_t foremost = 0; ///< of others: place + 1 of who is none of them
  };

  /// No point has a higher key that is at least so far away, bounded by `use`, and has one of the
  /// modes; nullopt if none passes.
  [[nodiscard]] std::optional<double> best_of(double nearest, std::uint32_t modes,
                                              point_use use) const;
  /// The same of the points in a box.
  [[nodiscard]] std::optional<double> best_within(const point_bounds& bounds, point_use use) const;
  [[nodiscard]] const score_weights& weights_of(memory_mode mode) const;
  [[nodiscard]] bool comes_after(const item& x, const item& y) const {
    return x.key != y.key ? x.key < y.key : comes_after_equal(x, y);
  }
  [[nodiscard]] bool comes_after_equal(const item& x, const item& y) const;
  void push(item i);
  void open_cube(std::uint32_t number);
  void open_cell(const item& cell);
  void open_others(const item& others);
  void push_point(std::uint32_t place, const point_brief& brief);
  void look_at(std::uint32_t place);
  void consider(const stored_point& p, const point_brief& brief, row_no row);

  const attributes& rows_;
  const colour_index& colours_;
  const node_table& nodes_;
  const exp_ceiling& falling_ = exp_ceiling::instance();
  colour_query query_;
  std::vector<colour_hit> hits_;
  std::vector<item> heap_;
  std::uint64_t visited_ = 0;
};

} // namespace mneme
