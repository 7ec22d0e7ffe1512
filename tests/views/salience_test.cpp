// salience: the bound that a search for the most salient prunes by is never below the score.
// Of: views/salience.cpp

#include "views/salience.hpp"

#include <catch2/catch.hpp>

#include "tests/index/dice.hpp"

namespace mneme {

TEST_CASE("a bound of salience is at least the salience") {
  dice d(5);
  constexpr std::int64_t hour_ns = 3'600'000'000'000;
  for (int i = 0; i < 20'000; ++i) {
    const salience_weights weights{.recency = d.below(1000) / 1000.0,
                                   .access = d.below(1000) / 1000.0,
                                   .citations = d.below(1000) / 1000.0,
                                   .importance = (1 + d.below(1000)) / 1000.0,
                                   .similarity = d.below(1000) / 1000.0};
    const timestamp now{static_cast<std::int64_t>(d.below(2'000'000)) * hour_ns};
    const salience_scorer score(now, d.one_in(2), weights);
    const std::int64_t age = d.one_in(3) ? d.below(100) : d.below(2'000'000);
    const activation used{.last_used = {now.ns - age * (d.one_in(2) ? 1 : hour_ns)},
                          .access_count = d.below(2000),
                          .citations = d.below(5),
                          .importance = static_cast<std::uint8_t>(d.below(11))};
    const double distance = d.below(2000) / 1000.0;
    REQUIRE(score.at_most(used, distance) >= score(used, distance));
    REQUIRE(score.at_most(used, distance) <= score(used, distance) + 0.1);
  }
}

} // namespace mneme
