// The data of `mneme bench`.
// Of: bench/workloads/dataset.cpp, bench/workloads/requests.cpp, bench/workloads/hashtags.cpp
#include <set>

#include <catch2/catch.hpp>

#include "bench/workloads/dataset.hpp"

using namespace mneme::workloads;

TEST_CASE("the data of a benchmark is fixed by its size and seed") {
  const auto one = make_dataset(200, 7);
  const auto same = make_dataset(200, 7);
  CHECK(one.vectors == same.vectors);
  CHECK(one.query_vectors == same.query_vectors);
  CHECK(one.postings == same.postings);
  CHECK(one.own == same.own);
  CHECK(one.texts == same.texts);
  CHECK(one.edges.size() == 2 * (one.rows.size() - 1));
  CHECK(one.vectors != make_dataset(200, 8).vectors);
}

TEST_CASE("the columns of a benchmark's data say what its rows say") {
  const auto d = make_dataset(3000, 1);
  std::set<mneme::memory_type> types;
  std::size_t owned = 0;
  for (std::size_t i = 0; i < d.rows.size(); ++i) {
    CHECK(d.types[i] == d.rows[i].type);
    CHECK(d.created_ns[i] == d.rows[i].created_at.ns);
    CHECK(d.rows[i].last_used == d.rows[i].created_at);
    types.insert(d.types[i]);
  }
  CHECK(types.size() == 8);
  for (const auto& own : d.own) owned += own.size();
  CHECK(owned == d.rows.size());
  for (const auto& q : d.queries) {
    CHECK(q.large_actor < d.large_actors);
    CHECK(d.own[q.large_actor].size() > 1000);
    CHECK(d.own[q.small_actor].size() == 100);
  }
}

TEST_CASE("a row's id leads back to it") {
  for (const std::size_t row : {0UL, 1UL, 255UL, 256UL, 10'000'000UL})
    CHECK(row_of(id_of(row)) == row);
}

TEST_CASE("what a benchmark writes joins its data") {
  auto d = make_dataset(200, 1);
  d.rows[5].access_count = 3;
  const auto added = add_row(d, 5);
  CHECK(added == 200);
  CHECK(d.texts[added] == d.texts[5]);
  CHECK(std::equal(d.vector_of(5), d.vector_of(5) + dimension, d.vector_of(added)));
  CHECK(d.rows[added].access_count == 0);
  CHECK(d.rows[added].created_at == query_time);
  CHECK(d.created_ns[added] == query_time.ns);
  for (const auto tag : d.rows[5].tags) CHECK(d.postings[tag].back() == added);
  CHECK(d.own[d.rows[5].actor].back() == added);
}
