#include "index/colour/semantic_stack.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace mneme {

namespace {

constexpr std::uint32_t last_core = 1000;
constexpr std::uint32_t last_mid = 7500;

struct mass_range {
  double least;
  double greatest;
};

mass_range masses_of(colour_zone zone) {
  switch (zone) {
  case colour_zone::core:
    return {0.2, 0.5};
  case colour_zone::mid:
    return {1.5, 2.5};
  case colour_zone::outer:
    break;
  }
  return {0.6, 1.0};
}

/// The radical inverse of `i`, in [0, 1).
double halton(std::uint32_t i, std::uint32_t base) {
  double fraction = 1.0;
  double value = 0.0;
  for (; i > 0; i /= base) {
    fraction /= base;
    value += fraction * (i % base);
  }
  return value;
}

double round_half_even(double x) {
  const double below = std::floor(x);
  const double rest = x - below;
  if (rest < 0.5) return below;
  if (rest > 0.5) return below + 1;
  return std::fmod(below, 2.0) == 0 ? below : below + 1;
}

struct raw_anchor {
  double L;
  double a;
  double b;
  double radius;
};

} // namespace

anchor_range anchors_of(colour_zone zone) noexcept {
  switch (zone) {
  case colour_zone::core:
    return {1, last_core};
  case colour_zone::mid:
    return {last_core + 1, last_mid};
  case colour_zone::outer:
    break;
  }
  return {last_mid + 1, anchor_count};
}

colour_zone zone_of(std::uint32_t id) noexcept {
  ensure(id >= 1 && id <= anchor_count, "an anchor of the stack");
  if (id <= last_core) return colour_zone::core;
  return id <= last_mid ? colour_zone::mid : colour_zone::outer;
}

semantic_stack::semantic_stack() {
  std::vector<raw_anchor> raw;
  raw.reserve(anchor_count);
  for (std::uint32_t i = 1; i <= anchor_count; ++i) {
    raw_anchor r{halton(i, 2) * 100, halton(i, 3) * 255 - 128, halton(i, 5) * 255 - 128, 0};
    r.radius = std::sqrt((r.L - 50) * (r.L - 50) + r.a * r.a + r.b * r.b);
    raw.push_back(r);
  }
  std::ranges::stable_sort(raw, {}, &raw_anchor::radius);
  for (std::uint32_t id = 1; id <= anchor_count; ++id) {
    const raw_anchor& r = raw[id - 1];
    const colour_zone zone = zone_of(id);
    const anchor_range range = anchors_of(zone);
    const double nearest = raw[range.first - 1].radius;
    const double farthest = raw[range.last - 1].radius;
    const mass_range mass = masses_of(zone);
    const double share = (r.radius - nearest) / (farthest - nearest);
    anchors_[id - 1] = {
        .L = round_half_even(r.L),
        .a = round_half_even(r.a),
        .b = round_half_even(r.b),
        .mass = round_half_even((mass.least + (mass.greatest - mass.least) * share) * 100) / 100,
        .zone = zone};
    radii_[id - 1] = r.radius;
  }
}

const semantic_stack& semantic_stack::instance() {
  static const std::unique_ptr<const semantic_stack> stack(new semantic_stack);
  return *stack;
}

} // namespace mneme
