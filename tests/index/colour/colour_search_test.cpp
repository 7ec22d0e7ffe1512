// Spec 6.4, exactness: the search gives the k best by score, whatever cubes it skips, at every seq.
// Of: index/colour/colour_index.cpp, index/columns/tag_table.cpp
#include <algorithm>
#include <map>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "index/colour/colour_search.hpp"
#include "tests/index/dice.hpp"

using namespace mneme;

namespace {

constexpr std::int64_t one_day_ns = 86'400'000'000'000;
constexpr timestamp began{1'700'000'000'000'000'000};

/// A colour space, and beside it a plain list of everything that it was told.
class colour_world {
public:
  explicit colour_world(std::uint64_t seed, std::uint32_t size) : dice_(seed) {
    for (std::uint32_t i = 0; i < size; ++i) change();
  }

  void change() {
    const std::uint32_t n = dice_.below(points_.size() + 4);
    if (n >= points_.size()) return write();
    ++seq_;
    model& m = points_[n];
    switch (dice_.below(4)) {
    case 0: // gone, or back
      m.findable[seq_] = !m.findable.rbegin()->second;
      put_state(m);
      break;
    default: {
      colour_signals s = m.signals.rbegin()->second;
      s.strength_e9 = dice_.below(30) * 1'000'000'000LL;
      s.last_accessed = {began.ns + dice_.below(20) * one_day_ns};
      s.rotten = dice_.one_in(6);
      m.signals[seq_] = s;
      rows_.colours().set_signals(m.node, {seq_}, s);
    }
    }
  }

  /// Everything that passes, best first, by looking at all.
  [[nodiscard]] std::vector<colour_hit> scan(const colour_query& q) const {
    std::vector<colour_hit> hits;
    for (const model& m : points_) {
      const auto state = m.findable.upper_bound(q.at.value);
      if (state == m.findable.begin() || !std::prev(state)->second) continue;
      colour_hit hit;
      hit.node = m.node;
      hit.before = std::prev(m.signals.upper_bound(q.at.value))->second;
      hit.distance = distance(q.point, m.point);
      if (q.max_distance && hit.distance > *q.max_distance) continue;
      if (hit.before.rotten && !q.include_rotten) continue;
      hit.signals = score_signals(hit.before, m.mode, hit.distance, q.now,
                                  q.weights ? *q.weights : physics_of(m.mode).weights);
      hits.push_back(hit);
    }
    std::ranges::sort(hits, [&](const colour_hit& a, const colour_hit& b) {
      if (!q.nearest_first && a.signals.score != b.signals.score)
        return a.signals.score > b.signals.score;
      if (a.distance != b.distance) return a.distance < b.distance;
      return nodes_.id(a.node) < nodes_.id(b.node);
    });
    return hits;
  }

  [[nodiscard]] colour_query any_query() {
    colour_query q;
    q.point = any_point();
    q.now = {began.ns + dice_.below(30) * one_day_ns};
    q.at = {1 + dice_.below(seq_)};
    if (dice_.one_in(2)) q.weights = score_weights{.2, .3, .5};
    if (dice_.one_in(3)) q.weights = score_weights{1, 0, 0};
    if (dice_.one_in(3)) q.max_distance = dice_.below(100);
    q.include_rotten = dice_.one_in(2);
    q.nearest_first = dice_.one_in(5);
    return q;
  }

  void check(const attributes& subject, const colour_query& q, std::size_t k) const {
    const auto expected = scan(q);
    colour_search search(subject, nodes_, q);
    for (std::size_t i = 0; i < k; ++i) {
      const auto hit = search.next();
      RC_ASSERT(hit.has_value() == (i < expected.size()));
      if (!hit) break;
      RC_ASSERT(hit->node == expected[i].node);
      RC_ASSERT(hit->signals.score == expected[i].signals.score);
      RC_ASSERT(hit->distance == expected[i].distance);
      RC_ASSERT(hit->before == expected[i].before);
    }
  }

  lab_point any_point() {
    if (dice_.one_in(3)) // many in a few cells, one of them used last
      return {46.0 + dice_.below(40) * 0.2, dice_.below(40) * 0.2 - 4.0,
              dice_.below(40) * 0.2 - 4.0};
    // Few distinct points, so that many memories share one and ties are common.
    return {static_cast<double>(dice_.below(6)) * 20.0,
            static_cast<double>(dice_.below(12)) * 23.0 - 128.0,
            static_cast<double>(dice_.below(12)) * 23.0 - 128.0};
  }

  void write() {
    ++seq_;
    model m;
    m.node = nodes_.intern(scattered_id(static_cast<std::uint32_t>(points_.size())));
    m.point = any_point();
    m.mode = static_cast<memory_mode>(1 + dice_.below(4));
    m.findable[seq_] = true;
    m.signals[seq_] = fresh_signals(began);
    row_values row;
    row.node = m.node;
    row.slot = {m.node.value};
    row.type = memory_type::note;
    row.valid_until_ns = std::numeric_limits<std::int64_t>::max();
    rows_.put(row, {seq_});
    put_state(m);
    rows_.colours().set_signals(m.node, {seq_}, m.signals[seq_]);
    points_.push_back(std::move(m));
  }

  [[nodiscard]] const attributes& rows() const { return rows_; }
  [[nodiscard]] const node_table& nodes() const { return nodes_; }
  [[nodiscard]] seq_no seq() const { return {seq_}; }

private:
  struct model {
    node_no node;
    lab_point point;
    memory_mode mode{};
    std::map<std::uint64_t, bool> findable;
    std::map<std::uint64_t, colour_signals> signals;
  };

  void put_state(const model& m) {
    rows_.colours().put({.node = m.node,
                         .point = m.point,
                         .mode = m.mode,
                         .created_at = began,
                         .findable = m.findable.rbegin()->second,
                         .erased = false},
                        {seq_});
  }

  dice dice_;
  std::uint64_t seq_ = 0;
  node_table nodes_;
  attributes rows_;
  std::vector<model> points_;
};

} // namespace

TEST_CASE("6.4 the search finds exactly what a scan finds, in the same order, at every seq") {
  CHECK(rc::check("search against scan", [](std::uint64_t seed) {
    colour_world world(seed, 60 + static_cast<std::uint32_t>(seed % 200));
    for (int i = 0; i < 20; ++i)
      world.check(world.rows(), world.any_query(), 1 + static_cast<std::size_t>(i) * 5);
  }));
}

TEST_CASE("6.4 an image of the colour space holds the same at every seq it retains") {
  CHECK(rc::check("image against scan", [](std::uint64_t seed) {
    colour_world world(seed, 150);
    const std::string image = world.rows().save(world.seq());
    attributes loaded;
    RC_ASSERT(loaded.load(image).has_value());
    for (int i = 0; i < 10; ++i) world.check(loaded, world.any_query(), 20);
    RC_ASSERT(loaded.save(world.seq()) == image);
  }));
}

TEST_CASE("6.3 an image has the signals of a memory that comes back while it is written") {
  attributes rows;
  colour_index& colours = rows.colours();
  coloured_state memory{
      .node = {0}, .point = {50, 0, 0}, .mode = memory_mode{1}, .created_at = began};
  colours.put(memory, {1});
  colours.set_signals(memory.node, {1}, fresh_signals(began));
  memory.findable = false;
  colours.put(memory, {2});
  memory.findable = true;
  colours.put(memory, {11}); // after the checkpoint's seq
  rows.retain_from({5});
  const std::string image = rows.save({10});
  attributes loaded;
  REQUIRE(loaded.load(image).has_value());
  CHECK(loaded.colours().mode_of(memory.node) == memory.mode);
  CHECK(loaded.colours().signals_of(memory.node, {10}) == fresh_signals(began));
}

TEST_CASE("6.4 the search looks at few of many points") {
  colour_world world(7, 0);
  for (int i = 0; i < 3000; ++i) world.write();
  for (int i = 0; i < 20; ++i) {
    colour_query q;
    q.point = world.any_point();
    q.now = began;
    q.at = world.seq();
    colour_search search(world.rows(), world.nodes(), q);
    for (int k = 0; k < 5; ++k) REQUIRE(search.next().has_value());
    CHECK(search.visited() < 100);
  }
}

TEST_CASE("6.1 a tag table knows its tags as of every seq") {
  attributes rows;
  tag_table& tags = rows.colours().tags();
  tags.assign("#tea", 7, {3});
  tags.assign("c++", 8000, {5});
  CHECK_FALSE(tags.find("tea", {2}).has_value());
  CHECK(tags.find("tea", {3}) == tag_assignment{"#tea", 7, colour_zone::core});
  CHECK(tags.find("#tea", {9}) == tag_assignment{"#tea", 7, colour_zone::core});
  CHECK(tags.find("#c++", {5}) == tag_assignment{"c++", 8000, colour_zone::outer});
  CHECK(tags.taken(8000, {5}));
  CHECK_FALSE(tags.taken(8000, {4}));
  CHECK_FALSE(tags.taken(1, {9}));
  CHECK(tags.all({4}).size() == 1);
  attributes loaded;
  REQUIRE(loaded.load(rows.save({5})).has_value());
  CHECK(loaded.colours().tags().all({5}) == tags.all({5}));
}
