// HNSW: graphs depend on nothing but the vectors, recall stays high, and answers never underfill,
// whatever the filter.
// Of: index/vectors/segment_builder.cpp, index/vectors/vectors_near.cpp
#include "index/vectors/hnsw_segment.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "index/vectors/segment_builder.hpp"
#include "tests/index/vectors/vector_cloud.hpp"

namespace mneme {

namespace {

constexpr std::uint64_t no_limit = ~0ULL;

std::set<std::uint32_t> slots_of(const std::vector<near_hit>& hits) {
  std::set<std::uint32_t> slots;
  for (const auto& hit : hits) slots.insert(hit.slot.value);
  return slots;
}

/// How many of `expected` are in `found`.
std::size_t common(const std::vector<near_hit>& found, const std::vector<near_hit>& expected) {
  const auto slots = slots_of(expected);
  return static_cast<std::size_t>(std::ranges::count_if(
      found, [&](const near_hit& h) { return slots.contains(h.slot.value); }));
}

bool accept_all(slot_no) {
  return true;
}

} // namespace

TEST_CASE("a graph grown in steps answers as one built at once") {
  const vector_cloud cloud(1, 24, 3000, 20, true);
  vector_rows rows;
  rows.set_dimension(24);
  for (std::size_t i = 0; i < cloud.size(); ++i) rows.append(cloud.slot(i), cloud.values(i));
  const std::atomic<bool> stop{false};
  const hnsw_segment::parameters p{.m = 8, .ef_construction = 40};
  const auto at_once = hnsw_segment::extend(nullptr, rows, 0, 3000, p, stop);
  std::unique_ptr<hnsw_segment> grown;
  for (const std::uint32_t end : {1U, 2U, 500U, 501U, 2000U, 3000U})
    grown = hnsw_segment::extend(grown.get(), rows, 0, end, p, stop);
  REQUIRE(at_once);
  REQUIRE(grown);
  CHECK(grown->end() == 3000);
  dice d(2);
  for (int i = 0; i < 200; ++i) {
    const auto values = cloud.query(d);
    const prepared_query query(values, rows.code_count());
    std::vector<std::uint32_t> a;
    std::vector<std::uint32_t> b;
    REQUIRE(at_once->search(query, 20, no_limit, accept_all, a));
    REQUIRE(grown->search(query, 20, no_limit, accept_all, b));
    REQUIRE(a.size() == 20);
    REQUIRE(a == b);
  }
}

TEST_CASE(
    "a segment that cannot be built is counted, and tried again when there are more vectors") {
  vector_rows rows;
  rows.set_dimension(2);
  std::atomic<int> tries{0};
  segment_builder builder(rows, {.m = 2, .ef_construction = 4},
                          [&](const hnsw_segment* base, const vector_rows& all, std::uint32_t begin,
                              std::uint32_t end, const hnsw_segment::parameters& p,
                              const std::atomic<bool>& stop) {
                            if (++tries <= 2) return std::unique_ptr<hnsw_segment>();
                            return hnsw_segment::extend(base, all, begin, end, p, stop);
                          });
  const auto grow = [&] {
    for (std::uint32_t i = 0; i < segment_step; ++i) {
      const std::uint32_t slot = rows.size();
      const std::array values = {1.0F, static_cast<float>(slot % 97)};
      rows.append({slot}, values);
      builder.wake();
    }
    builder.wait();
  };
  grow();
  CHECK(builder.failed() == 1);
  CHECK(builder.segments()->empty());
  builder.wake(); // nothing has grown: not tried again
  builder.wait();
  CHECK(tries == 1);
  grow();
  CHECK(builder.failed() == 2);
  CHECK(builder.segments()->empty());
  grow();
  CHECK(builder.failed() == 2);
  REQUIRE(builder.segments()->size() == 1);
  CHECK(builder.segments()->back()->end() == 3 * segment_step);
}

TEST_CASE("building stops when it is told to, and a search when it becomes too dear") {
  const vector_cloud cloud(4, 16, 2000, 5, false);
  vector_rows rows;
  rows.set_dimension(16);
  for (std::size_t i = 0; i < cloud.size(); ++i) rows.append(cloud.slot(i), cloud.values(i));
  const hnsw_segment::parameters p{.m = 8, .ef_construction = 40};
  CHECK(hnsw_segment::extend(nullptr, rows, 0, 2000, p, std::atomic<bool>{true}) == nullptr);
  const auto segment = hnsw_segment::extend(nullptr, rows, 500, 2000, p, std::atomic<bool>{false});
  dice d(3);
  const auto values = cloud.query(d);
  const prepared_query query(values, rows.code_count());
  std::vector<std::uint32_t> positions;
  CHECK_FALSE(segment->search(query, 10, 50, [](slot_no) { return false; }, positions));
  CHECK(positions.empty());
  CHECK(segment->search(query, 10, no_limit, accept_all, positions));
  CHECK(positions.size() == 10);
  CHECK(std::ranges::all_of(positions, [](std::uint32_t at) { return at >= 500 && at < 2000; }));
}

TEST_CASE("a segment walks through what the filter blocks") {
  const vector_cloud cloud(5, 16, 4000, 20, false);
  vector_rows rows;
  rows.set_dimension(16);
  for (std::size_t i = 0; i < cloud.size(); ++i) rows.append(cloud.slot(i), cloud.values(i));
  const std::atomic<bool> stop{false};
  const auto segment =
      hnsw_segment::extend(nullptr, rows, 0, 4000, {.m = 12, .ef_construction = 80}, stop);
  dice d(6);
  for (const std::uint32_t one_in : {1U, 10U, 100U, 1000U}) {
    const auto accept = [&](slot_no slot) { return dice(slot.value).one_in(one_in); };
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < cloud.size(); ++i)
      if (accept(cloud.slot(i))) ++accepted;
    std::size_t found = 0;
    std::size_t wanted = 0;
    for (int i = 0; i < 30; ++i) {
      const auto values = cloud.query(d);
      const prepared_query query(values, rows.code_count());
      std::vector<std::uint32_t> positions;
      REQUIRE(segment->search(query, 40, no_limit, accept, positions));
      REQUIRE(positions.size() >= std::min<std::size_t>(40, accepted) * 9 / 10);
      const auto expected = cloud.nearest(values, 10, accept, cloud.size());
      std::vector<near_hit> hits;
      for (const std::uint32_t at : positions) {
        REQUIRE(accept(rows.slot(at)));
        hits.push_back({rows.slot(at), 0});
      }
      found += common(hits, expected);
      wanted += expected.size();
    }
    CHECK(static_cast<double>(found) >= 0.95 * static_cast<double>(wanted));
  }
}

TEST_CASE("near answers through segments: recall, exact distances, and never too few") {
  constexpr std::size_t count = 28'000;
  const vector_cloud cloud(7, 32, count, 60, true);
  vectors index({.background_segments = true, .m = 12, .ef_construction = 60, .ef_search = 64});
  index.set_space({"test", 32});
  cloud.append_to(index, 0, 9000);
  index.wait_for_segments();
  cloud.append_to(index, 9000, count);
  index.wait_for_segments();
  dice d(8);
  bool used_hnsw = false;

  std::size_t found = 0;
  for (int i = 0; i < 100; ++i) {
    const auto query = cloud.query(d);
    const auto hits = index.nearest(query, 10, count, accept_all, tie_of, used_hnsw);
    REQUIRE(used_hnsw);
    REQUIRE(hits.size() == 10);
    for (std::size_t h = 0; h < hits.size(); ++h) {
      REQUIRE(hits[h].distance == cosine_distance(query, index.get(hits[h].slot)));
      if (h > 0) REQUIRE(hits[h - 1].distance <= hits[h].distance);
    }
    found += common(hits, index.nearest_exact(query, 10, accept_all, tie_of));
  }
  CHECK(found >= 950);

  // Shares from everything to one in a thousand, told rightly and told far too high.
  for (const std::uint32_t per_mille : {1000U, 700U, 400U, 100U, 10U, 1U}) {
    const auto accept = [&](slot_no slot) { return dice(slot.value).below(1000) < per_mille; };
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (accept(cloud.slot(i))) ++accepted;
    found = 0;
    std::size_t wanted = 0;
    for (int i = 0; i < 20; ++i) {
      const auto query = cloud.query(d);
      for (const std::size_t k : {std::size_t{10}, std::size_t{60}}) {
        const auto expected = index.nearest_exact(query, k, accept, tie_of);
        REQUIRE(expected.size() == std::min(k, accepted));
        for (const std::uint64_t told : {accepted, count}) {
          const auto hits = index.nearest(query, k, told, accept, tie_of, used_hnsw);
          REQUIRE(hits.size() == expected.size());
          if (!used_hnsw) REQUIRE(std::ranges::equal(hits, expected));
          found += common(hits, expected);
          wanted += expected.size();
        }
      }
    }
    CHECK(static_cast<double>(found) >= 0.95 * static_cast<double>(wanted));
  }
}

TEST_CASE("an index is destroyed promptly while its thread builds") {
  const vector_cloud cloud(9, 64, 20'000, 10, false);
  for (int i = 0; i < 3; ++i) {
    vectors index({.background_segments = true, .m = 16, .ef_construction = 200});
    index.set_space({"test", 64});
    cloud.append_to(index, 0, cloud.size());
  }
  SUCCEED();
}

TEST_CASE("a loaded index builds its segments anew") {
  const vector_cloud cloud(10, 8, 17'000, 30, false);
  vectors index({.background_segments = false});
  index.set_space({"test", 8});
  cloud.append_to(index, 0, cloud.size());
  vectors loaded({.background_segments = true, .m = 8, .ef_construction = 30});
  REQUIRE(loaded.load(index.save(cloud.slots(), {1})));
  loaded.wait_for_segments();
  dice d(11);
  bool used_hnsw = false;
  CHECK(loaded.nearest(cloud.query(d), 10, cloud.size(), accept_all, tie_of, used_hnsw).size()
        == 10);
  CHECK(used_hnsw);
}

} // namespace mneme
