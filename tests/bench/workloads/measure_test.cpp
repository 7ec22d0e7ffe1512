// Numbers of `mneme bench` out of measured times, and how they are written.
// Of: bench/workloads/measure.cpp, bench/workloads/report.cpp
#include <catch2/catch.hpp>

#include "bench/workloads/measure.hpp"
#include "bench/workloads/report.hpp"

using namespace mneme::workloads;

TEST_CASE("a percentile is a measured value") {
  CHECK(percentile({}, 0.5) == 0);
  CHECK(percentile({3, 1, 2}, 0.5) == 2);
  CHECK(percentile({3, 1, 2}, 0.99) == 3);
  CHECK(percentile({3, 1, 2}, 0) == 1);
}

TEST_CASE("the exponent of a cost is that of the size") {
  CHECK(cost_exponent({{10, 5}}) == 0);
  CHECK(cost_exponent({{10, 5}, {10, 6}}) == 0);
  CHECK(cost_exponent({{10, 100}, {100, 10'000}, {1000, 1e6}}) == Approx(2));
  CHECK(cost_exponent({{10, 4}, {1000, 4}}) == Approx(0).margin(1e-9));
}

TEST_CASE("the name of a measured fact says its unit") {
  CHECK(fact_text("near_after_all_us", 1500) == "near after all 1.50 ms");
  CHECK(fact_text("each_bytes", 1889) == "each 1889 B");
  CHECK(fact_text("by_graph_percent", 50) == "by graph 50 %");
  CHECK(fact_text("floor_ef", 18) == "floor ef 18");
}

TEST_CASE("the cost of a measured side is its room where that was measured, else its median") {
  CHECK(cost_of({.p50_us = 2}) == 2);
  CHECK(cost_of({.p50_us = 2, .bytes = 3}) == 3);
  CHECK(cost_text({.p50_us = 2}) == "2.0 µs");
  CHECK(cost_text({.bytes = 2e6}) == "2.0 MB");
  CHECK(cost_text({}).empty());
}
