// vectors: every exact path equals brute force by the definition, with ties, duplicates, gaps in
// the slots and filters; images round-trip.
// Of: index/vectors/compared_query.cpp, index/vectors/nearest_collector.cpp
// Of: index/vectors/vector_rows.cpp, index/vectors/vectors_image.cpp
// Of: index/vectors/vectors_near.cpp
#include "index/vectors/compared_query.hpp"
#include "index/vectors/vectors.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

#include "tests/index/damage.hpp"
#include "tests/index/vectors/vector_cloud.hpp"

namespace mneme {

namespace {

const vector_index_options exact_only{.background_segments = false};

/// Accepts a pseudo-random share of the slots.
std::function<bool(slot_no)> accept_share(std::uint32_t percent) {
  return [percent](slot_no slot) { return dice(slot.value).below(100) < percent; };
}

void check_equal(const std::vector<near_hit>& found, const std::vector<near_hit>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) REQUIRE((found[i] == expected[i]));
}

} // namespace

TEST_CASE("every exact path equals brute force") {
  rc::prop("clouds with ties", [](std::uint64_t seed) {
    dice d(seed);
    const std::size_t dim = 1 + d.below(70);
    const std::size_t count = 1 + d.below(400);
    const vector_cloud cloud(seed, dim, count, 1 + d.below(5), true);
    vectors index(exact_only);
    index.set_space({"test", static_cast<std::uint32_t>(dim)});
    cloud.append_to(index, 0, count);
    for (int i = 0; i < 8; ++i) {
      const auto query = d.one_in(3) ? cloud.values(d.below(count)) : cloud.query(d);
      const std::size_t k = d.below(30);
      const auto accept = accept_share(d.one_in(3) ? 100 : d.below(101));
      const auto expected = cloud.nearest(query, k, accept, count);
      check_equal(index.nearest_exact(query, k, accept, tie_of), expected);
      const slots_left_out none_of = [&](slot_no first, slot_no end) {
        for (slot_no slot = first; slot < end; ++slot.value)
          if (accept(slot)) return false;
        return true;
      };
      check_equal(index.nearest_exact(query, k, {accept, none_of}, tie_of), expected);
      bool used_hnsw = true;
      check_equal(index.nearest(query, k, count, accept, tie_of, used_hnsw), expected);
      RC_ASSERT(!used_hnsw);
      std::vector<slot_no> slots;
      for (std::uint32_t s = 0; s < cloud.slot(count - 1).value + 5; ++s)
        if (accept({s})) slots.push_back({s});
      std::ranges::reverse(slots);
      check_equal(index.nearest_of(query, slots, k, tie_of), expected);
      std::vector<near_hit> distances;
      for (const slot_no slot : slots)
        if (const auto values = index.get(slot); !values.empty())
          distances.push_back({slot, cosine_distance(query, values)});
      check_equal(index.distances(query, slots), distances);
    }
  });
}

TEST_CASE("a query compared once answers what every search for it does") {
  rc::prop("clouds with ties", [](std::uint64_t seed) {
    dice d(seed);
    const std::size_t count = 1 + d.below(3000);
    const vector_cloud cloud(seed, 40, count, 1 + d.below(5), true);
    vectors index(exact_only);
    index.set_space({"test", 40});
    cloud.append_to(index, 0, count);
    const auto query = cloud.query(d);
    const auto accept = accept_share(d.below(101));
    const std::size_t k = d.below(60);
    const compared_query compared = index.compare(query);
    const auto hits = compared.nearest(k, accept);
    const auto expected = index.nearest_exact(query, k, accept, tie_of);
    RC_ASSERT(hits.size() == expected.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      RC_ASSERT(hits[i].distance == expected[i].distance);
      RC_ASSERT(accept(hits[i].slot));
    }
    const double least = 1 - 2 * d.number();
    std::vector<slot_no> found;
    compared.each_at_least(least, [&](slot_no slot) { found.push_back(slot); });
    for (std::size_t i = 0; i < count; ++i) {
      const slot_no slot = cloud.slot(i);
      const double cosine = 1 - cosine_distance(query, cloud.values(i));
      RC_ASSERT(compared.bound_of(slot) >= cosine);
      if (cosine >= least) RC_ASSERT(std::ranges::find(found, slot) != found.end());
    }
    RC_ASSERT(compared.bound_of({cloud.slot(count - 1).value + 1}) == 0);
    const std::uint32_t first = d.below(cloud.slot(count - 1).value + 9);
    const std::uint32_t end = first + d.below(3000);
    const auto range = compared.within({first}, {end});
    for (std::uint32_t slot = first; slot < end; ++slot) {
      RC_ASSERT(range.of({slot}) == compared.bound_of({slot}));
      RC_ASSERT(range.most() >= range.of({slot}));
    }
  });
  CHECK(compared_query().nearest(3, [](slot_no) { return true; }).empty());
  CHECK(compared_query().within({0}, {9}).of({3}) == 0);
}

TEST_CASE("runs of vectors that are left out are not compared, and all others are") {
  constexpr std::size_t count = 5'000;
  const vector_cloud cloud(4, 40, count, 3, true);
  vectors index(exact_only);
  index.set_space({"test", 40});
  cloud.append_to(index, 0, count);
  dice d(9);
  const auto query = cloud.query(d);
  const slot_no first = cloud.slot(count / 2);
  const auto accept = [&](slot_no slot) { return !(slot < first); };
  std::size_t asked = 0;
  const slots_left_out before = [&](slot_no, slot_no end) {
    ++asked;
    return end.value <= first.value;
  };
  const auto expected = index.nearest_exact(query, 20, accept, tie_of);
  check_equal(index.nearest_exact(query, 20, {accept, before}, tie_of), expected);
  CHECK(asked >= count / 512);
  const auto compared = index.compare(query, {}, before);
  const auto hits = compared.nearest(20, accept);
  REQUIRE(hits.size() == expected.size());
  for (std::size_t i = 0; i < hits.size(); ++i) CHECK(hits[i].distance == expected[i].distance);
  for (std::size_t i = count / 2; i < count; ++i)
    REQUIRE(compared.bound_of(cloud.slot(i)) >= 1 - cosine_distance(query, cloud.values(i)));
  CHECK(compared.bound_of(cloud.slot(0)) < 0);
}

TEST_CASE("every exact path asks whether to go on, and leaves off when it shall not") {
  const vector_cloud cloud(5, 8, 6000, 10, false);
  vectors index(exact_only);
  index.set_space({"test", 8});
  cloud.append_to(index, 0, cloud.size());
  std::vector<slot_no> slots;
  for (std::size_t i = 0; i < cloud.size(); ++i) slots.push_back(cloud.slot(i));
  dice d(5);
  const auto query = cloud.query(d);
  const auto all = [](slot_no) { return true; };
  bool used_hnsw = false;
  for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    std::size_t asked = 0;
    const goes_on_check goes_on = [&] { return asked++ < most; };
    const auto cut = [&](const std::vector<near_hit>& hits) {
      CHECK(asked == most + 1);
      asked = 0;
      return hits.size() < cloud.size();
    };
    CHECK(cut(index.nearest_exact(query, cloud.size(), all, tie_of, goes_on)));
    CHECK(cut(index.nearest(query, cloud.size(), cloud.size(), all, tie_of, used_hnsw, goes_on)));
    CHECK(cut(index.distances(query, slots, goes_on)));
    static_cast<void>(cut(index.nearest_of(query, slots, 10, tie_of, goes_on)));
    static_cast<void>(cut(index.compare(query).nearest(10, all, goes_on)));
  }
  std::size_t asked = 0;
  const goes_on_check never = [&] { return ++asked == 0; };
  CHECK(index.compare(query, never).nearest(10, all).size() <= 10);
  CHECK(asked == 1);
}

TEST_CASE("vectors are found by slot, as they were given") {
  const vector_cloud cloud(3, 100, 3000, 10, false);
  vectors index(exact_only);
  CHECK(index.space().dim == 0);
  CHECK(index.get({0}).empty());
  index.set_space({"test", 100});
  index.set_space({"test", 100});
  CHECK(index.space() == vector_space{"test", 100});
  cloud.append_to(index, 0, cloud.size());
  CHECK(index.size() == cloud.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    for (; next < cloud.slot(i).value; ++next) REQUIRE(index.get({next}).empty());
    const auto values = index.get({next++});
    REQUIRE(std::ranges::equal(values, cloud.values(i)));
    REQUIRE(reinterpret_cast<std::uintptr_t>(values.data()) % 64 == 0);
  }
  CHECK(index.get({next}).empty());
  CHECK(index.get({no_number}).empty());
}

TEST_CASE("a query that fits no space has no neighbours") {
  vectors index(exact_only);
  const std::vector<float> query{1, 2, 3};
  const std::vector<slot_no> slots{{0}, {1}};
  const auto all = [](slot_no) { return true; };
  bool used_hnsw = true;
  CHECK(index.nearest_exact(query, 3, all, tie_of).empty());
  index.set_space({"test", 4});
  index.append({0}, std::vector<float>{1, 2, 3, 4});
  CHECK(index.nearest_exact(query, 3, all, tie_of).empty());
  CHECK(index.nearest(query, 3, 1, all, tie_of, used_hnsw).empty());
  CHECK_FALSE(used_hnsw);
  CHECK(index.nearest_of(query, slots, 3, tie_of).empty());
  CHECK(index.compare(query).nearest(3, all).empty());
  CHECK(index.distances(query, slots).empty());
}

TEST_CASE("ten thousand equal vectors come in id order") {
  vectors index(exact_only);
  index.set_space({"test", 8});
  const std::vector<float> same{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::pair<memory_id, std::uint32_t>> by_id;
  for (std::uint32_t s = 0; s < 10'000; ++s) {
    index.append({s}, same);
    by_id.emplace_back(tie_of({s}), s);
  }
  std::ranges::sort(by_id);
  const auto hits = index.nearest_exact(same, 50, [](slot_no) { return true; }, tie_of);
  REQUIRE(hits.size() == 50);
  for (std::size_t i = 0; i < hits.size(); ++i) CHECK(hits[i].slot.value == by_id[i].second);
}

TEST_CASE(
    "an image, or a copy, holds the vectors that are kept, and appending goes on behind them") {
  rc::prop("save, load, go on", [](std::uint64_t seed) {
    dice d(seed);
    const std::size_t dim = 1 + d.below(40);
    const std::size_t count = d.below(300);
    const vector_cloud cloud(seed, dim, count + 20, 3, true);
    vectors index(exact_only);
    index.set_space({"model@abc", static_cast<std::uint32_t>(dim)}, seq_no{3});
    cloud.append_to(index, 0, count);
    // Slots that have no vector are asked for too.
    std::vector<slot_no> kept;
    const std::uint32_t one_in = 1 + d.below(3);
    for (std::uint32_t s = 0; s < cloud.slot(count).value; ++s)
      if (d.below(one_in) == 0) kept.push_back({s});
    std::size_t kept_vectors = 0;
    for (const slot_no s : kept) kept_vectors += index.get(s).empty() ? 0U : 1U;
    vectors loaded(exact_only);
    const std::string image = index.save(kept, {3});
    RC_ASSERT(loaded.load(image).has_value());
    RC_ASSERT(loaded.size() == kept_vectors);
    RC_ASSERT(loaded.space() == index.space());
    RC_ASSERT(loaded.save(kept, {3}) == image);
    vectors mapped(exact_only);
    RC_ASSERT(mapped.load(in_place(image)).has_value());
    RC_ASSERT(mapped.save(kept, {3}) == image);
    const auto copied = index.copy(kept);
    RC_ASSERT(copied->save(kept, {3}) == image);
    RC_ASSERT(copied->space_at({2}).dim == 0);
    const auto query = cloud.query(d);
    const slot_no first_new = cloud.slot(count);
    const auto there = [&](slot_no s) {
      return s >= first_new || std::ranges::binary_search(kept, s);
    };
    const auto expected = cloud.nearest(query, 20, there, cloud.size());
    for (vectors* one : {&loaded, &mapped, copied.get()}) {
      cloud.append_to(*one, count, cloud.size());
      check_equal(one->nearest_exact(query, 20, [](slot_no) { return true; }, tie_of), expected);
    }
  });
}

TEST_CASE("vectors that lie in an image go on behind it, beside who reads them") {
  // Full pages, full pages and a part, a part alone.
  // The last two end in pages that are as long as pages become.
  for (const std::size_t count : {3072U, 5000U, 700U, 31'744U, 70'000U}) {
    const vector_cloud cloud(count, 20, count + 2000, 5, false);
    vectors index(exact_only);
    index.set_space({"test", 20});
    cloud.append_to(index, 0, count);
    vectors mapped(exact_only);
    REQUIRE(mapped.load(in_place(index.save(cloud.slots(), {1}))));
    const auto before = mapped.get(cloud.slot(count - 1));
    cloud.append_to(mapped, count, cloud.size());
    CHECK(std::ranges::equal(before, cloud.values(count - 1)));
    for (std::size_t i = 0; i < cloud.size(); ++i)
      REQUIRE(std::ranges::equal(mapped.get(cloud.slot(i)), cloud.values(i)));
    dice d(9);
    const auto all = [](slot_no) { return true; };
    for (int i = 0; i < 20; ++i) {
      const auto query = cloud.query(d);
      check_equal(mapped.nearest_exact(query, 10, all, tie_of),
                  cloud.nearest(query, 10, all, cloud.size()));
    }
  }
}

TEST_CASE("a space stays fixed when no vector is kept, from its seq on") {
  vectors index(exact_only);
  index.set_space({"test", 2}, seq_no{7});
  index.append({0}, std::vector<float>{1, 2});
  vectors after(exact_only);
  REQUIRE(after.load(index.save({}, {7})));
  CHECK(after.size() == 0);
  CHECK(after.space() == index.space());
  vectors before(exact_only);
  REQUIRE(before.load(index.save({}, {6})));
  CHECK(before.space().dim == 0);
}

TEST_CASE("an image of no space leaves the space open") {
  vectors index(exact_only);
  vectors loaded(exact_only);
  REQUIRE(loaded.load(index.save({}, {0})));
  CHECK(loaded.space().dim == 0);
  loaded.set_space({"test", 2});
  loaded.append({0}, std::vector<float>{1, 2});
  CHECK(loaded.size() == 1);
}

TEST_CASE("a space is there from the seq on that fixed it") {
  vectors index(exact_only);
  CHECK(index.space_at({9}).dim == 0);
  index.set_space({"test", 2}, seq_no{7});
  CHECK(index.space_at({6}).dim == 0);
  CHECK(index.space_at({7}) == index.space());
}

TEST_CASE("a damaged image of vectors is refused") {
  const vector_cloud cloud(8, 12, 40, 2, true);
  vectors index(exact_only);
  index.set_space({"test", 12});
  cloud.append_to(index, 0, 40);
  const std::string image = index.save(cloud.slots(), {1});
  const auto load = [](const std::string& damaged) {
    vectors fresh(exact_only);
    auto loaded = fresh.load(damaged);
    if (!loaded) REQUIRE((fresh.size() == 0 && fresh.space().dim == 0));
    return loaded;
  };
  check_damage_is_refused(image, load);
  dice d(6);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string changed = image;
    changed[8 + d.below(changed.size() - 12)] = static_cast<char>(d.below(256));
    if (!load(with_checksum(changed))) ++refused;
  }
  CHECK(refused > 20);
}

} // namespace mneme
