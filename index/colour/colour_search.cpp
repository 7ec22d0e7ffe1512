#include "index/colour/colour_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Covers the rounding of the few operations between a bound and the scores under it.
constexpr double box_slack = 1e-9;

constexpr std::array all_modes = {memory_mode::sparse, memory_mode::adaptive, memory_mode::spacey,
                                  memory_mode::eidetic};

/// Distance from a point to the nearest point of a box.
double distance_to_box(const lab_point& from, const point_bounds& box) {
  const std::array<double, 3> at = {from.L, from.a, from.b};
  double sum = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double below = load_acquire(box.least[i]) - at[i];
    const double above = at[i] - load_acquire(box.greatest[i]);
    const double outside = std::max({below, above, 0.0});
    sum += outside * outside;
  }
  return std::sqrt(sum);
}

bool is_inside(const time_range& range, timestamp t) {
  return (!range.start || *range.start <= t) && (!range.end || t <= *range.end);
}

} // namespace

colour_search::colour_search(const attributes& rows, const node_table& nodes, colour_query query)
    : rows_(rows), colours_(rows.colours()), nodes_(nodes), query_(std::move(query)) {
  for (std::uint32_t number = 0; number < cube_count; ++number) {
    const colour_cube* cube = colours_.cube(number);
    if (cube == nullptr) continue;
    if (const auto key = best_within(cube->bounds)) push({*key, item_kind::cube, number});
  }
}

const score_weights& colour_search::weights_of(memory_mode mode) const {
  return query_.weights ? *query_.weights : physics_of(mode).weights;
}

std::optional<double> colour_search::best_within(const point_bounds& bounds) const {
  const std::uint64_t modes = load_acquire(bounds.modes);
  if (modes == 0) return {};
  const double nearest = std::max(0.0, distance_to_box(query_.point, bounds) - box_slack);
  if (query_.max_distance && nearest > *query_.max_distance) return {};
  if (query_.nearest_first) return -nearest;
  const double relevance = relevance_at(nearest);
  const double strength = strength_norm_of(load_acquire(bounds.strength_e9));
  const timestamp last{load_acquire(bounds.last_accessed_ns)};
  double best = 0;
  for (const memory_mode mode : all_modes) {
    if ((modes & (std::uint64_t{1} << static_cast<unsigned>(mode))) == 0) continue;
    const score_weights& w = weights_of(mode);
    best = std::max(best, w.relevance * relevance + w.recency * recency_at(last, query_.now, mode)
                              + w.strength * strength);
  }
  return best + box_slack;
}

bool colour_search::comes_after(const item& x, const item& y) const {
  if (x.key != y.key) return x.key < y.key;
  // What is closed may still hold something equal that comes first.
  if (x.kind != y.kind) return x.kind > y.kind;
  if (x.kind != item_kind::hit) return x.number > y.number;
  const colour_hit& a = hits_[x.number];
  const colour_hit& b = hits_[y.number];
  if (a.distance != b.distance) return a.distance > b.distance;
  return nodes_.id(b.node) < nodes_.id(a.node);
}

void colour_search::push(item i) {
  heap_.push_back(i);
  std::ranges::push_heap(heap_, [&](const item& x, const item& y) { return comes_after(x, y); });
}

std::optional<colour_hit> colour_search::next() {
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, [&](const item& x, const item& y) { return comes_after(x, y); });
    const item best = heap_.back();
    heap_.pop_back();
    switch (best.kind) {
    case item_kind::cube:
      open_cube(best.number);
      break;
    case item_kind::cell:
      if (query_.goes_on && !query_.goes_on()) return {};
      open_cell(best.number);
      break;
    case item_kind::hit:
      return hits_[best.number];
    }
  }
  return {};
}

void colour_search::open_cube(std::uint32_t number) {
  const colour_cube& cube = *colours_.cube(number);
  for (std::uint32_t i = 0; i < cells_per_cube; ++i)
    if (const auto key = best_within(cube.cells[i].bounds))
      push({*key, item_kind::cell, number * cells_per_cube + i});
}

void colour_search::open_cell(std::uint32_t number) {
  const colour_cell& cell = colours_.cube(number / cells_per_cube)->cells[number % cells_per_cube];
  for (std::uint32_t at = load_acquire(cell.head); at != 0;) {
    const stored_point& p = colours_.point(at - 1);
    ensure(p.next < at, "the points of a cell lead to older ones");
    at = p.next;
    const bool alive = colours_.alive(p, query_.at);
    const row_no row = alive ? rows_.row_of({p.node}, query_.at) : row_no{};
    const bool accepted = row.value != no_number && (!query_.accept || query_.accept(row));
    if (accepted || !query_.accept) ++visited_;
    if (accepted) consider(p, row);
  }
}

void colour_search::consider(const stored_point& p, row_no row) {
  colour_hit hit;
  hit.row = row;
  hit.node = {p.node};
  hit.point = {p.L, p.a, p.b};
  hit.mode = p.mode;
  hit.distance = distance(query_.point, hit.point);
  if (query_.max_distance && hit.distance > *query_.max_distance) return;
  const auto signals = colours_.signals_of(hit.node, query_.at);
  if (!signals) return; // the window has moved on; the caller finds out
  if (signals->rotten && !query_.include_rotten) return;
  if (query_.created_or_accessed && !is_inside(*query_.created_or_accessed, {p.created_at_ns})
      && !is_inside(*query_.created_or_accessed, signals->last_accessed))
    return;
  hit.before = *signals;
  hit.signals = score_signals(*signals, p.mode, hit.distance, query_.now, weights_of(p.mode));
  hits_.push_back(hit);
  push({query_.nearest_first ? -hit.distance : hit.signals.score, item_kind::hit,
        static_cast<std::uint32_t>(hits_.size() - 1)});
}

} // namespace mneme
