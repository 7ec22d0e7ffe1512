#include "index/colour/colour_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Covers the rounding of the few operations between a bound and the scores under it.
constexpr double box_slack = 1e-9;

/// Distance from a point to the nearest point of a box.
double distance_to_box(const lab_point& from, const point_bounds& box) {
  const std::array<double, 3> at = {from.L, from.a, from.b};
  double sum = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double below = double{load_acquire(box.least[i])} - at[i];
    const double above = at[i] - double{load_acquire(box.greatest[i])};
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
    const point_bounds& bounds = colours_.bounds_of_cube(number);
    if (const auto key = best_within(bounds, load_acquire(bounds.use)))
      heap_.push_back({*key, item_kind::cube, number});
  }
  std::ranges::make_heap(heap_, [&](const item& x, const item& y) { return comes_after(x, y); });
}

const score_weights& colour_search::weights_of(memory_mode mode) const {
  return query_.weights ? *query_.weights : physics_of(mode).weights;
}

std::optional<double> colour_search::best_of(double nearest, std::uint32_t modes,
                                             point_use use) const {
  if (query_.max_distance && nearest > *query_.max_distance) return {};
  if (query_.nearest_first) return -nearest;
  const double relevance = relevance_at_most(nearest, falling_);
  const double strength = strength_norm_at_most(use);
  const timestamp last = accessed_at_most(use);
  double best = 0;
  for (std::uint32_t left = modes; left != 0; left &= left - 1) {
    const auto mode = static_cast<memory_mode>(std::countr_zero(left));
    const score_weights& w = weights_of(mode);
    best = std::max(best, w.relevance * relevance
                              + w.recency * recency_at_most(last, query_.now, mode, falling_)
                              + w.strength * strength);
  }
  return best + box_slack;
}

std::optional<double> colour_search::best_within(const point_bounds& bounds, point_use use) const {
  const std::uint32_t modes = load_acquire(bounds.modes);
  if (modes == 0) return {};
  const double nearest = std::max(0.0, distance_to_box(query_.point, bounds) - box_slack);
  return best_of(nearest, modes, use);
}

bool colour_search::comes_after_equal(const item& x, const item& y) const {
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
      open_cell(best);
      break;
    case item_kind::others:
      open_others(best);
      break;
    case item_kind::point:
      if (query_.goes_on && !query_.goes_on()) return {};
      look_at(best.number);
      break;
    case item_kind::hit:
      return hits_[best.number];
    }
  }
  return {};
}

void colour_search::open_cube(std::uint32_t number) {
  const colour_cube* cube = colours_.cube(number);
  ensure(cube != nullptr, "a cube is there before its bounds are");
  for (std::uint64_t left = load_acquire(cube->occupied); left != 0; left &= left - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
    const point_bounds& bounds = cube->cells[i].bounds;
    if (const auto key = best_within(bounds, load_acquire(bounds.use)))
      push({*key, item_kind::cell, number * cells_per_cube + i});
  }
}

void colour_search::open_cell(const item& cell) {
  const colour_cube& cube = *colours_.cube(cell.number / cells_per_cube);
  const colour_cell& its = cube.cells[cell.number % cells_per_cube];
  // Whoever is not the foremost any more is among the others whose bound is read after it.
  const std::uint32_t foremost = load_acquire(its.foremost);
  if (foremost != 0) push_point(foremost - 1, colours_.brief(foremost - 1));
  if (const auto key = best_within(its.bounds, load_acquire(its.others)))
    push({*key, item_kind::others, cell.number, foremost});
}

void colour_search::open_others(const item& others) {
  const colour_cube& cube = *colours_.cube(others.number / cells_per_cube);
  colours_.for_each_brief(cube.cells[others.number % cells_per_cube],
                          [&](std::uint32_t place, const point_brief& brief) {
                            if (place + 1 != others.foremost) push_point(place, brief);
                          });
}

void colour_search::push_point(std::uint32_t place, const point_brief& brief) {
  const point_use use = load_acquire(brief.use);
  const auto modes = 1U << static_cast<unsigned>(mode_of(use));
  if (const auto key = best_of(distance(query_.point, brief.at), modes, use))
    push({*key, item_kind::point, place});
}

void colour_search::look_at(std::uint32_t place) {
  const point_brief& brief = colours_.brief(place);
  const stored_point& p = colours_.point(brief.number);
  const bool alive = colours_.alive(p, query_.at);
  const row_no row = alive ? rows_.row_of({p.node}, query_.at) : row_no{};
  const bool accepted = row.value != no_number && (!query_.accept || query_.accept(row));
  if (accepted || !query_.accept) ++visited_;
  if (accepted) consider(p, brief, row);
}

void colour_search::consider(const stored_point& p, const point_brief& brief, row_no row) {
  colour_hit hit;
  hit.row = row;
  hit.node = {p.node};
  hit.point = brief.at;
  hit.mode = mode_of(load_acquire(brief.use));
  hit.distance = distance(query_.point, hit.point);
  if (query_.max_distance && hit.distance > *query_.max_distance) return;
  const auto signals = colours_.signals_of(hit.node, query_.at);
  if (!signals) return; // the window has moved on; the caller finds out
  if (signals->rotten && !query_.include_rotten) return;
  if (query_.created_or_accessed && !is_inside(*query_.created_or_accessed, {p.created_at_ns})
      && !is_inside(*query_.created_or_accessed, signals->last_accessed))
    return;
  hit.before = *signals;
  hit.signals = score_signals(*signals, hit.mode, hit.distance, query_.now, weights_of(hit.mode));
  hits_.push_back(hit);
  push({query_.nearest_first ? -hit.distance : hit.signals.score, item_kind::hit,
        static_cast<std::uint32_t>(hits_.size() - 1)});
}

} // namespace mneme
