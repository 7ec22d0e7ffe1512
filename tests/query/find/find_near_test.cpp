// Near over more rows than an exact answer is promised for: which mode answers, that filters hold,
// and that exact answers equal the model's. One large world serves all cases.
// Of: query/find/near_target.cpp

#include <algorithm>

#include <catch2/catch.hpp>

#include "query/find/find.hpp"
#include "tests/query/find/naive_find.hpp"
#include "tests/query/find/small_world.hpp"

namespace mneme::testing {
namespace {

constexpr std::uint64_t memory_count = 24'000;

struct large_world : small_world {
  large_world() : small_world(true) {
    std::uint64_t state = 5;
    const auto next = [&state] {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return static_cast<std::int64_t>(state >> 40) % 1000;
    };
    for (std::uint64_t n = 0; n < memory_count; ++n) {
      auto s = draft(n, n % 8 == 0 ? memory_type::fact : memory_type::note, "text");
      s.head.actor_scope = n % 500 == 0 ? "ana" : "ben";
      if (n % 2 == 0) s.head.tags.push_back("half");
      if (n % 500 == 3) s.head.tags.push_back("rare");
      s.vector = {static_cast<float>(next() - 500), static_cast<float>(next() - 500),
                  static_cast<float>(next() + 1)};
      put(s);
    }
    wait_for_segments();
  }
};

const large_world& world() {
  static const large_world shared;
  return shared;
}

const std::vector<float> target = {0.3F, -0.2F, 0.9F};

find_request nearest(std::int64_t limit = 10) {
  find_request r;
  r.near_vector = target;
  r.limit = limit;
  return r;
}

void check_exact(const find_request& r) {
  const auto got = find_inline(world(), r);
  REQUIRE(got.has_value());
  CHECK(got->near_mode == near_mode::exact);
  const auto want = naive_find(world(), r, target, {}, world().seq());
  CHECK(ids_of(*got) == want.ids);
  CHECK(got->distances == want.distances);
}

/// The rows of an approximate answer: enough of them, right distances, in order, mostly the true
/// nearest.
void check_approximate(const find_request& r, std::size_t rows) {
  const auto got = find_inline(world(), r);
  REQUIRE(got.has_value());
  REQUIRE(got->memories.size() == rows);
  CHECK(std::ranges::is_sorted(got->distances));
  const auto want = naive_find(world(), r, target, {}, world().seq());
  std::size_t shared = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto id = got->memories[i].head->id;
    CHECK(got->distances[i] == cosine_distance(target, world().memories.at(id).back().vector));
    if (std::ranges::find(want.ids, id) != want.ids.end()) ++shared;
  }
  CHECK(shared * 10 >= rows * 8);
}

TEST_CASE("near over everything may use HNSW", "[large]") {
  check_approximate(nearest(), 10);
  find_request r = nearest();
  r.explain = true;
  const auto answer = find_inline(world(), r);
  CHECK(answer->plan->driver == "near");
  CHECK(answer->near_mode == near_mode::hnsw);
  CHECK(answer->candidates_scanned >= 10);
  r.types = {memory_type::note};
  check_approximate(r, 10);
  CHECK(find_inline(world(), r)->memories[0].head->type == memory_type::note);
}

TEST_CASE("near that was asked to be exact, or reads the past, is exact", "[large]") {
  find_request r = nearest();
  r.exact = true;
  check_exact(r);
  r.exact = false;
  r.at_seq = world().seq();
  check_exact(r);
}

TEST_CASE("near with few candidates is exact whatever narrows them", "[large]") {
  find_request r = nearest();
  SECTION("a tag") {
    r.where = has_tag("rare");
  }
  SECTION("a type") {
    r.types = {memory_type::fact};
  }
  SECTION("an asker who sees little") {
    r.actor = "ana";
  }
  SECTION("an asker who sees nothing") {
    r.actor = "nobody";
  }
  SECTION("valid time") {
    r.as_of = timestamp{1};
  }
  SECTION("a predicate on columns") {
    r.types = {memory_type::note, memory_type::fact};
    r.where = compare(comparison::eq, "head.actor_scope", std::string("ana"));
  }
  check_exact(r);
}

TEST_CASE("near with a predicate on records is exact over any number of rows", "[large]") {
  find_request r = nearest(3);
  r.types = {memory_type::note};
  r.where = compare(comparison::ne, "data.statement", std::string("x"));
  check_exact(r);
}

TEST_CASE("near over a large tag", "[large]") {
  find_request r = nearest();
  r.where = has_tag("half"); // 12,000 rows
  check_approximate(r, 10);
  r.exact = true;
  check_exact(r);
}

TEST_CASE("k is four pages, or as asked, or a page at least", "[large]") {
  find_request r = nearest(5);
  r.where = has_tag("rare"); // 48 rows
  r.count = true;
  const auto total = [&] { return find_inline(world(), r)->total; };
  CHECK(total() == 20);
  r.offset = 2;
  CHECK(total() == 28);
  r.near_k = 3;
  CHECK(total() == 7);
  r.near_k = 11;
  CHECK(total() == 11);
  r.near_k = 1000;
  CHECK(total() == 48);
  r.near_k.reset();
  r.offset = 0;
  r.limit.reset();
  r.budget_tokens = 1'000'000;
  CHECK(total() == 48); // as many as may fit
  r.budget_tokens = 160;
  CHECK(total() == 20);
  r.budget_tokens = 1;
  CHECK(total() == 16);
}

} // namespace
} // namespace mneme::testing
