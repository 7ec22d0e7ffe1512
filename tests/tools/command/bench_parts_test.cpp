// What `mneme bench` makes and works out, without any time.
// Of: bench/workloads/dataset.cpp, bench/workloads/measure.cpp
#include <catch2/catch.hpp>

#include "bench/workloads/dataset.hpp"
#include "bench/workloads/measure.hpp"

using namespace mneme::workloads;

TEST_CASE("the data of a benchmark is fixed by its size and seed") {
  const auto one = make_dataset(200, 7);
  const auto same = make_dataset(200, 7);
  CHECK(one.vectors == same.vectors);
  CHECK(one.query_vectors == same.query_vectors);
  CHECK(one.postings == same.postings);
  CHECK(one.rows.back().text == same.rows.back().text);
  CHECK(one.edges.size() == 2 * (one.rows.size() - 1));
  CHECK(one.vectors != make_dataset(200, 8).vectors);
}

TEST_CASE("a row's id leads back to it") {
  for (const std::size_t row : {0UL, 1UL, 255UL, 256UL, 10'000'000UL})
    CHECK(row_of(id_of(row)) == row);
}

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
