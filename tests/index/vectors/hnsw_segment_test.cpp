// HNSW: graphs depend on nothing but the vectors, recall stays high, and answers never underfill,
// whatever the filter.
// Of: index/vectors/hnsw_build.cpp, index/vectors/segment_builder.cpp
// Of: index/vectors/segment_points.cpp, index/vectors/vectors_near.cpp
#include "index/vectors/hnsw_segment.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "index/vectors/segment_builder.hpp"
#include "tests/index/vectors/vector_cloud.hpp"

namespace mneme {

namespace {

constexpr std::uint64_t no_limit = ~0ULL;
constexpr auto on_the_way = hnsw_segment::asking::on_the_way;

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
  const graph_parameters p{.m = 8, .ef_construction = 40};
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
    REQUIRE(at_once->search(query, 20, 10, no_limit, accept_all, on_the_way, a));
    REQUIRE(grown->search(query, 20, 10, no_limit, accept_all, on_the_way, b));
    REQUIRE(a.size() >= 20);
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
                              std::uint32_t end, const graph_parameters& p,
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
  const graph_parameters p{.m = 8, .ef_construction = 40};
  CHECK(hnsw_segment::extend(nullptr, rows, 0, 2000, p, std::atomic<bool>{true}) == nullptr);
  const auto segment = hnsw_segment::extend(nullptr, rows, 500, 2000, p, std::atomic<bool>{false});
  dice d(3);
  const auto values = cloud.query(d);
  const prepared_query query(values, rows.code_count());
  std::vector<std::uint32_t> positions;
  CHECK_FALSE(
      segment->search(query, 10, 10, 50, [](slot_no) { return false; }, on_the_way, positions));
  CHECK(positions.empty());
  CHECK(segment->search(query, 10, 10, no_limit, accept_all, on_the_way, positions));
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
      REQUIRE(segment->search(query, 40, 10, no_limit, accept, on_the_way, positions));
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
  CHECK(index.are_few(10'000)); // which are compared exactly, as is promised
  CHECK_FALSE(index.are_few(count));

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

TEST_CASE("how many slots are few grows with the root of how many there are") {
  vectors index({.background_segments = false});
  index.set_space({"test", 2});
  const std::vector<float> values{1.0F, 0.0F};
  for (std::uint32_t i = 0; i < 160'000; ++i) index.append(slot_no{i}, values);
  CHECK(index.are_few(16'000));
  CHECK_FALSE(index.are_few(16'001));
}

TEST_CASE("a search comes to the right one of very many clusters") {
  constexpr std::uint32_t count = 30'000;
  constexpr int queries = 500;
  const vector_cloud cloud(31, 32, count, 500, false);
  vector_rows rows;
  rows.set_dimension(32);
  for (std::size_t i = 0; i < cloud.size(); ++i) rows.append(cloud.slot(i), cloud.values(i));
  const std::atomic<bool> stop{false};
  const auto segment =
      hnsw_segment::extend(nullptr, rows, 0, count, {.m = 8, .ef_construction = 30}, stop);
  REQUIRE(segment);
  dice d(32);
  int right = 0;
  for (int i = 0; i < queries; ++i) {
    const auto values = cloud.query(d);
    const prepared_query query(values, rows.code_count());
    std::vector<std::uint32_t> positions;
    REQUIRE(segment->search(query, 20, 10, no_limit, accept_all, on_the_way, positions));
    std::pair<double, std::uint32_t> nearest{2.0, no_number};
    for (std::uint32_t at = 0; at < count; ++at)
      nearest = std::min(nearest, {query.distance(rows, at), at});
    if (std::ranges::find(positions, nearest.second) != positions.end()) ++right;
  }
  CHECK(right >= queries * 99 / 100);
}

TEST_CASE("many copies of few vectors are found, and those of an extended segment too") {
  constexpr std::size_t distinct = 300;
  constexpr std::uint32_t count = 24'576;
  const vector_cloud cloud(21, 32, distinct, 12, false);
  // Copies come in no order, as agents say their sentences; some are as long again.
  std::vector<std::size_t> said;
  std::vector<std::vector<float>> values;
  dice d(22);
  for (std::uint32_t i = 0; i < count; ++i) {
    said.push_back(d.below(distinct));
    values.push_back(cloud.values(said.back()));
    if (d.one_in(10))
      for (float& v : values.back()) v *= 2;
  }
  vectors index({.background_segments = true});
  index.set_space({"test", 32});
  const auto append = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t s = from; s < to; ++s) index.append({s}, values[s]);
    index.wait_for_segments();
  };
  append(0, 9000);
  append(9000, count);
  for (const std::uint32_t one_in : {1U, 2U}) {
    const auto accept = [&](slot_no slot) { return dice(slot.value).one_in(one_in); };
    for (int i = 0; i < 200; ++i) {
      const auto query = cloud.query(d);
      bool used_hnsw = false;
      const auto hits = index.nearest(query, 10, count, accept, tie_of, used_hnsw);
      REQUIRE(used_hnsw);
      const auto expected = index.nearest_exact(query, 10, accept, tie_of);
      REQUIRE(hits.size() == 10);
      for (std::size_t h = 0; h < hits.size(); ++h) {
        REQUIRE(accept(hits[h].slot));
        REQUIRE(hits[h].distance == expected[h].distance);
      }
    }
  }
}

TEST_CASE("those that do not pass are passed over, though they lie together where one asks") {
  constexpr std::uint32_t count = 20'000;
  const vector_cloud cloud(23, 16, count, 200, false);
  vectors index({.background_segments = true, .m = 8, .ef_construction = 60});
  index.set_space({"test", 16});
  for (std::uint32_t s = 0; s < count; ++s) index.append({s}, cloud.values(s));
  index.wait_for_segments();
  dice d(24);
  for (int i = 0; i < 50; ++i) {
    const auto query = cloud.query(d);
    std::vector<slot_no> gone; // about the whole cluster that is asked for
    for (const near_hit& hit : index.nearest_exact(query, 90, accept_all, tie_of))
      gone.push_back(hit.slot);
    std::ranges::sort(gone);
    const auto accept = [&](slot_no slot) { return !std::ranges::binary_search(gone, slot); };
    bool used_hnsw = false;
    const auto hits = index.nearest(query, 10, count - 90, accept, tie_of, used_hnsw);
    REQUIRE(hits.size() == 10);
    for (const near_hit& hit : hits) REQUIRE(accept(hit.slot));
    const auto expected = index.nearest_exact(query, 10, accept, tie_of);
    CHECK(common(hits, expected) >= 7);
  }
}

TEST_CASE("one vector alone, however often, is a graph") {
  vectors index({.background_segments = true});
  index.set_space({"test", 4});
  const std::vector<float> same{1, 2, 3, 4};
  for (std::uint32_t s = 0; s < 2 * segment_step; ++s) index.append({s}, same);
  index.wait_for_segments();
  bool used_hnsw = false;
  const auto hits = index.nearest(same, 20, 2 * segment_step, accept_all, tie_of, used_hnsw);
  CHECK(used_hnsw);
  CHECK(hits.size() == 20);
}

TEST_CASE("points are the positions whose codes come first, and keep their numbers") {
  vector_rows rows;
  rows.set_dimension(3);
  const std::vector<std::vector<float>> values = {{1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {0, 0, 1},
                                                  {0, 3, 0}, {1, 0, 0}, {1, 2, 3}};
  for (std::uint32_t s = 0; s < values.size(); ++s) rows.append({s}, values[s]);
  const auto further = [](const segment_points& points, std::uint32_t point) {
    const auto found = points.further(point);
    return std::vector<std::uint32_t>(found.begin(), found.end());
  };
  const segment_points all(rows, 0, 7);
  REQUIRE(all.size() == 4);
  CHECK((all.first(0) == 0 && all.first(1) == 1 && all.first(2) == 3 && all.first(3) == 6));
  CHECK(further(all, 0) == std::vector<std::uint32_t>{2, 5});
  CHECK(further(all, 1) == std::vector<std::uint32_t>{4});
  CHECK(further(all, 2).empty());
  const segment_points some(rows, 1, 4);
  REQUIRE(some.size() == 3);
  CHECK((some.first(0) == 1 && some.first(1) == 2 && some.first(2) == 3));
  CHECK(further(some, 0).empty());
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

} // namespace mneme
