// Four bytes bound what a memory was used for: never below it, and close where it matters.
// Of: index/columns/use_bound.cpp

#include <limits>

#include <catch2/catch.hpp>

#include "index/columns/use_bound.hpp"
#include "tests/index/dice.hpp"

using namespace mneme;

namespace {

bool is_within(const activation& used, const activation& most) {
  return used.last_used <= most.last_used && used.access_count <= most.access_count
         && used.citations <= most.citations && used.importance <= most.importance;
}

activation any_use(dice& d) {
  const auto count = [&d]() -> std::int64_t {
    return d.one_in(4) ? d.below(2'000'000'000) : d.below(d.one_in(2) ? 20 : 1100);
  };
  return {.last_used = {static_cast<std::int64_t>(d.below(1'000'000'000)) * 9'000'000'000},
          .access_count = count(),
          .citations = count(),
          .importance = static_cast<std::uint8_t>(d.below(d.one_in(5) ? 256 : 11))};
}

activation used_often(std::int64_t n) {
  activation used;
  used.access_count = n;
  return used;
}

} // namespace

TEST_CASE("a bound of use is at or above it, and that of two above both") {
  dice d(3);
  for (int i = 0; i < 100'000; ++i) {
    const activation a = any_use(d);
    const activation b = any_use(d);
    const use_bound bound = use_bound_of(a);
    REQUIRE(is_within(a, used_at_most(bound)));
    const activation both = used_at_most(most_of(bound, use_bound_of(b)));
    REQUIRE((is_within(a, both) && is_within(b, both)));
    if (a.access_count < 16) REQUIRE(used_at_most(bound).access_count == a.access_count);
    if (a.importance < 15) REQUIRE(used_at_most(bound).importance == a.importance);
    REQUIRE(used_at_most(bound).last_used.ns - a.last_used.ns < std::int64_t{1} << 45);
  }
}

TEST_CASE("a bound of use holds at the ends of all ranges") {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  CHECK(used_at_most(0).access_count == 0);
  const activation all{
      .last_used = {most}, .access_count = most, .citations = most, .importance = 255};
  CHECK(is_within(all, used_at_most(use_bound_of(all))));
  for (const std::int64_t n : {15, 16, 20, 21, 999, 1000, 1001})
    CHECK(used_at_most(use_bound_of(used_often(n))).access_count >= n);
}
