// Spec 6.1: the semantic stack, its zones, masses and radii.
#include <cmath>

#include <catch2/catch.hpp>

#include "index/colour/semantic_stack.hpp"

using namespace mneme;

TEST_CASE("6.1 check values of the radii") {
  const auto& stack = semantic_stack::instance();
  CHECK(stack.radius(1) == Approx(5.764).margin(0.0005));
  CHECK(stack.radius(1000) == Approx(53.892).margin(0.0005));
  CHECK(stack.radius(1001) == Approx(53.951).margin(0.0005));
  CHECK(stack.radius(7500) == Approx(127.872).margin(0.0005));
  CHECK(stack.radius(7501) == Approx(127.874).margin(0.0005));
  CHECK(stack.radius(10'000) == Approx(184.079).margin(0.0005));
}

TEST_CASE("6.1 zones, masses and rounding come from the rank") {
  const auto& stack = semantic_stack::instance();
  const std::array<std::pair<double, double>, 3> masses = {{{0.2, 0.5}, {1.5, 2.5}, {0.6, 1.0}}};
  for (std::uint32_t id = 1; id <= anchor_count; ++id) {
    const anchor& x = stack.at(id);
    const auto zone = id <= 1000   ? colour_zone::core
                      : id <= 7500 ? colour_zone::mid
                                   : colour_zone::outer;
    const auto [least, greatest] = masses.at(static_cast<std::size_t>(zone) - 1);
    const bool is_right = x.zone == zone && zone_of(id) == zone && x.L == std::floor(x.L)
                          && x.a == std::floor(x.a) && x.b == std::floor(x.b) && x.L >= 0
                          && x.L <= 100 && x.a >= -128 && x.a <= 127 && x.b >= -128 && x.b <= 127
                          && x.mass >= least && x.mass <= greatest
                          && std::abs(x.mass * 100 - std::round(x.mass * 100)) < 1e-9
                          && (id == 1 || stack.radius(id) >= stack.radius(id - 1));
    if (!is_right) FAIL("anchor " << id);
  }
  CHECK(stack.at(1).mass == 0.2);
  CHECK(stack.at(1000).mass == 0.5);
  CHECK(stack.at(1001).mass == 1.5);
  CHECK(stack.at(7500).mass == 2.5);
  CHECK(stack.at(7501).mass == 0.6);
  CHECK(stack.at(10'000).mass == 1.0);
}
