#pragma once
/// The semantic stack: 10,000 fixed anchors in L*a*b*, the places that hashtags are bound to.
///
/// Anchor i = 1..10000 of the Halton sequences: L = h2(i)·100, a = h3(i)·255 - 128,
/// b = h5(i)·255 - 128. Sorted by the distance d from (50, 0, 0): ranks 0..999 are Core, 1000..7499
/// Mid, 7500..9999 Outer. Mass is linear in d between the smallest and the largest d of the zone:
/// Core 0.2 to 0.5, Mid 1.5 to 2.5, Outer 0.6 to 1.0. Coordinates are rounded half to even to
/// integers, masses to 2 decimals. Zone and mass come from the rank, never from a radius.

#include <array>
#include <cstdint>

#include "messages/codec/entry.hpp"
#include "messages/ensure.hpp"
#include "mneme/types.hpp"

namespace mneme {

struct anchor {
  double L = 0;
  double a = 0;
  double b = 0;
  double mass = 0;
  colour_zone zone{};
};

class semantic_stack {
public:
  /// Computed at the first call.
  static const semantic_stack& instance();

  /// `id` is 1..anchor_count, the rank + 1.
  [[nodiscard]] const anchor& at(std::uint32_t id) const {
    ensure(id >= 1 && id <= anchor_count, "an anchor of the stack");
    return anchors_[id - 1];
  }
  /// Distance from (50, 0, 0) before rounding.
  [[nodiscard]] double radius(std::uint32_t id) const { return radii_[id - 1]; }

private:
  semantic_stack();

  std::array<anchor, anchor_count> anchors_{};
  std::array<double, anchor_count> radii_{};
};

/// Ids of the first and the last anchor of a zone.
struct anchor_range {
  std::uint32_t first;
  std::uint32_t last;
};
anchor_range anchors_of(colour_zone zone) noexcept;
colour_zone zone_of(std::uint32_t id) noexcept;

} // namespace mneme
