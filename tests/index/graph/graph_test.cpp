// graph: neighbours and walks at present and past seqs equal naive models, on random graphs with
// tombstones, revivals and hubs, also through images.
// Of: index/graph/adjacency.cpp, index/graph/graph_image.cpp, index/graph/graph_walk.cpp
#include "index/graph/graph.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

#include "tests/index/damage.hpp"
#include "tests/index/graph/edge_model.hpp"

namespace mneme {

TEST_CASE("neighbours at any seq equal a naive model") {
  rc::prop("random graphs", [](std::uint64_t seed) {
    edge_world world(seed, 12);
    const int changes = *rc::gen::inRange(1, 250);
    for (int i = 0; i < changes; ++i) world.change();
    world.check_neighbours(world.seq);
    for (int i = 0; i < 3; ++i) world.check_neighbours(world.draws.below(world.seq + 2));
  });
}

TEST_CASE("an edge that is forgotten never was, until it is put again") {
  node_table nodes;
  graph g(nodes);
  memory_id id;
  std::vector<node_no> all;
  for (std::uint8_t n = 1; n <= 4; ++n) {
    id.bytes[15] = n;
    all.push_back(nodes.intern(id));
  }
  std::uint64_t seq = 0;
  for (int i = 0; i < 300; ++i) g.put(all[0], edge_type::references, all[1], i % 2 == 1, {++seq});
  g.put(all[0], edge_type::references, all[2], false, {++seq});
  g.put(all[0], edge_type::references, all[1], false, {++seq});
  const auto sees = [&](const graph& of, std::uint64_t at, edge_direction direction, node_no from) {
    std::vector<std::uint32_t> found;
    of.neighbours(from, direction, {at}, true, [&](const neighbour& n) {
      found.push_back(n.node.value);
      return true;
    });
    return found;
  };
  CHECK(g.edge_count() == 2);
  g.forget(all[0], edge_type::references, all[1]);
  CHECK(g.edge_count() == 1);
  for (const std::uint64_t at : {std::uint64_t{1}, std::uint64_t{150}, seq}) {
    CHECK(std::ranges::count(sees(g, at, edge_direction::out, all[0]), all[1].value) == 0);
    CHECK(sees(g, at, edge_direction::in, all[1]).empty());
  }
  CHECK(sees(g, seq, edge_direction::out, all[0]) == std::vector{all[2].value});
  g.put(all[0], edge_type::references, all[1], false, {++seq});
  CHECK(g.edge_count() == 2);
  graph loaded(nodes);
  REQUIRE(loaded.load(g.save({seq})));
  for (const graph* of : {&g, &loaded}) {
    CHECK(sees(*of, seq - 1, edge_direction::in, all[1]).empty());
    CHECK(sees(*of, seq, edge_direction::in, all[1]) == std::vector{all[0].value});
  }
}

TEST_CASE("walks at any seq equal a naive search") {
  rc::prop("random graphs", [](std::uint64_t seed) {
    edge_world world(seed, 60);
    const int changes = *rc::gen::inRange(1, 300);
    for (int i = 0; i < changes; ++i) world.change();
    for (int i = 0; i < 30; ++i)
      world.check_walk(world.draws.one_in(2) ? world.seq : world.draws.below(world.seq + 2));
  });
}

TEST_CASE("lists of thousands of states stay sorted and exact") {
  edge_world world(5, 400);
  for (int i = 0; i < 6000; ++i) world.change();
  for (const std::uint64_t at : {world.seq, world.seq / 2, world.seq / 7})
    world.check_neighbours(at);
  for (int i = 0; i < 50; ++i) world.check_walk(world.draws.below(world.seq + 2));
}

TEST_CASE("a hub reads in order however its edges came") {
  for (const bool ascending : {true, false}) {
    node_table nodes;
    graph g(nodes);
    constexpr std::uint32_t count = 30'000;
    std::vector<std::pair<memory_id, std::uint32_t>> sorted;
    const node_no hub = nodes.intern(memory_id{});
    for (std::uint32_t i = 1; i <= count; ++i) {
      memory_id id = scattered_id(i);
      if (ascending)
        for (std::size_t b = 0; b < 4; ++b)
          id.bytes[b] = static_cast<std::uint8_t>(i >> (24 - 8 * b));
      const node_no node = nodes.intern(id);
      sorted.emplace_back(id, node.value);
      g.put(node, edge_type::part_of, hub, false, {i});
    }
    std::ranges::sort(sorted);
    std::size_t i = 0;
    g.neighbours(hub, edge_direction::in, {count}, false, [&](const neighbour& n) {
      REQUIRE(n.node.value == sorted[i++].second);
      return true;
    });
    CHECK(i == count);
    std::size_t half = 0;
    g.neighbours(hub, edge_direction::in, {count / 2}, false, [&](const neighbour&) {
      ++half;
      return true;
    });
    CHECK(half == count / 2);
    walk_request request{.from = hub, .direction = edge_direction::in, .max_visited = 1000};
    request.at = {count};
    const walk_result some = g.walk(request);
    CHECK(some.truncated);
    CHECK(some.steps.size() == 1000);
    request.max_visited = count;
    CHECK_FALSE(g.walk(request).truncated);
  }
}

TEST_CASE("a walk asks whether to go on, also among nodes that nobody may see") {
  node_table nodes;
  graph g(nodes);
  constexpr std::uint32_t count = 5000;
  const node_no hub = nodes.intern(memory_id{});
  for (std::uint32_t i = 1; i <= count; ++i)
    g.put(hub, edge_type::references, nodes.intern(scattered_id(i)), false, {i});
  for (const bool is_hidden : {false, true}) {
    walk_request request{.from = hub, .at = {count}};
    if (is_hidden) request.may_see = [](node_no) { return false; };
    int asked = 0;
    request.goes_on = [&] {
      ++asked;
      return true;
    };
    CHECK(g.walk(request).steps.size() == (is_hidden ? 0 : count));
    CHECK(asked == count / 1024);
    request.goes_on = [&] { return false; };
    const walk_result cut = g.walk(request);
    CHECK(cut.steps.size() < 1024);
    CHECK_FALSE(cut.truncated);
  }
}

TEST_CASE("an edge that comes and goes for ever keeps its list short") {
  node_table nodes;
  for (std::uint32_t n = 0; n < 3; ++n) nodes.intern(scattered_id(n));
  graph g(nodes);
  for (std::uint64_t seq = 1; seq <= 200'000; ++seq) {
    g.put({0}, edge_type::references, {1}, seq % 2 == 0, {seq});
    if (seq > 50) g.retain_from({seq - 50});
  }
  CHECK(g.edge_count() == 0);
  CHECK(g.save({200'000}).size() < 10'000);
  for (std::uint64_t at = 200'000 - 50; at <= 200'000; ++at) {
    int seen = 0;
    g.neighbours({0}, edge_direction::out, {at}, true, [&](const neighbour& n) {
      CHECK(n.tombstoned == (at % 2 == 0));
      ++seen;
      return true;
    });
    CHECK(seen == 1);
  }
}

TEST_CASE("a visit stops when it is told to, and may read the graph itself") {
  edge_world world(9, 20);
  for (int i = 0; i < 300; ++i) world.change();
  int outer = 0;
  world.subject->neighbours({0}, edge_direction::both, {world.seq}, true, [&](const neighbour& n) {
    world.subject->neighbours(n.node, edge_direction::both, {world.seq}, true,
                              [](const neighbour&) { return false; });
    walk_request request{.from = n.node, .max_hops = 2, .at = {world.seq}};
    request.may_see = [&](node_no node) {
      return !world.subject->walk({.from = node, .at = {world.seq}}).truncated;
    };
    static_cast<void>(world.subject->walk(request));
    return ++outer < 2;
  });
  CHECK(outer == 2);
}

TEST_CASE("the nodes that a type of edge ever led to are known, each once") {
  node_table nodes;
  for (std::uint8_t i = 0; i < 5; ++i) {
    memory_id id;
    id.bytes[15] = i;
    nodes.intern(id);
  }
  graph edges(nodes);
  edges.put({0}, edge_type::supersedes, {2}, false, {1});
  edges.put({0}, edge_type::supersedes, {2}, true, {2});
  edges.put({1}, edge_type::supersedes, {2}, false, {3});
  edges.put({1}, edge_type::supersedes, {4}, false, {4});
  edges.put({1}, edge_type::references, {3}, false, {5});
  const auto sorted = [](const graph& g) {
    const auto led = g.ever_led_to(edge_type::supersedes);
    std::vector<std::uint32_t> found(led.begin(), led.end());
    std::ranges::sort(found);
    return found;
  };
  CHECK(sorted(edges) == std::vector<std::uint32_t>{2, 4});
  graph loaded(nodes);
  REQUIRE(loaded.load(edges.save({5})));
  CHECK(sorted(loaded) == std::vector<std::uint32_t>{2, 4});
}

// Shapes after the example graphs of graph benchmarks: a line, a ring, a star, a tree, two parts.
TEST_CASE("hops on small known graphs") {
  node_table nodes;
  graph g(nodes);
  for (std::uint32_t n = 0; n < 40; ++n) nodes.intern(scattered_id(n));
  std::uint64_t seq = 0;
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    g.put({a}, edge_type::references, {b}, false, {++seq});
  };
  for (std::uint32_t n = 0; n < 5; ++n) add(n, n + 1);                  // line 0..5
  for (std::uint32_t n = 10; n < 16; ++n) add(n, n == 15 ? 10 : n + 1); // ring 10..15
  for (std::uint32_t n = 21; n < 28; ++n) add(20, n);                   // star
  for (std::uint32_t n = 31; n < 38; ++n) add((n - 31) / 2 + 30, n);    // binary tree under 30
  const auto hops = [&](std::uint32_t from, edge_direction direction, std::uint32_t max_hops) {
    std::map<std::uint32_t, std::uint32_t> found;
    walk_request request{.from = {from}, .direction = direction, .max_hops = max_hops};
    request.at = {seq};
    for (const auto& step : g.walk(request).steps) found[step.node.value] = step.hop;
    return found;
  };
  using expected = std::map<std::uint32_t, std::uint32_t>;
  CHECK(hops(0, edge_direction::out, 6) == expected{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}});
  CHECK(hops(0, edge_direction::in, 6).empty());
  CHECK(hops(2, edge_direction::both, 2) == expected{{0, 2}, {1, 1}, {3, 1}, {4, 2}});
  CHECK(hops(10, edge_direction::out, 6) == expected{{11, 1}, {12, 2}, {13, 3}, {14, 4}, {15, 5}});
  CHECK(hops(10, edge_direction::both, 6) == expected{{11, 1}, {12, 2}, {13, 3}, {14, 2}, {15, 1}});
  CHECK(hops(21, edge_direction::both, 1) == expected{{20, 1}});
  CHECK(hops(21, edge_direction::both, 2).size() == 7);
  CHECK(hops(30, edge_direction::out, 3)
        == expected{{31, 1}, {32, 1}, {33, 2}, {34, 2}, {35, 2}, {36, 2}, {37, 3}});
  CHECK(hops(39, edge_direction::both, 6).empty());
}

TEST_CASE("an image loaded in the middle gives the same edges") {
  rc::prop("save, load, go on", [](std::uint64_t seed) {
    edge_world world(seed, 15);
    std::uint64_t retained = 0;
    for (int session = 0; session < 4; ++session) {
      for (std::uint32_t i = world.draws.below(120); i > 0; --i) world.change();
      if (world.draws.one_in(2) && world.seq > retained) {
        retained += world.draws.below(world.seq - retained + 1);
        world.subject->retain_from({retained});
      }
      world.reload();
      ++world.seq;
      world.check_neighbours(world.seq);
      for (int i = 0; i < 3; ++i)
        world.check_neighbours(retained + world.draws.below(world.seq - retained + 1));
      for (int i = 0; i < 5; ++i) world.check_walk(world.seq);
    }
  });
}

TEST_CASE("an image of an older seq is what the edges were then") {
  edge_world world(21, 30);
  for (int i = 0; i < 400; ++i) world.change();
  const std::uint64_t at = world.seq++;
  for (int i = 0; i < 400; ++i) world.change();
  const std::string image = world.subject->save({at});
  graph loaded(world.nodes);
  REQUIRE(loaded.load(image));
  for (std::uint32_t n = 0; n < 30; ++n) {
    const auto expected = world.model.edges_of(n, edge_direction::both, at, true);
    std::size_t i = 0;
    loaded.neighbours({n}, edge_direction::both, {at + 500}, true, [&](const neighbour& found) {
      REQUIRE(i < expected.size());
      REQUIRE(found.node.value == expected[i].other);
      REQUIRE(found.tombstoned == expected[i].tombstoned);
      ++i;
      return true;
    });
    REQUIRE(i == expected.size());
  }
}

TEST_CASE("hubs go on from their image, others beside them, and what is replaced stays in it") {
  node_table nodes;
  for (std::uint8_t n = 1; n <= 250; ++n) nodes.intern(memory_id{{n}});
  auto subject = std::make_unique<graph>(nodes);
  std::uint64_t seq = 0;
  constexpr auto type = static_cast<edge_type>(1);
  const auto link = [&](std::uint32_t src, std::uint32_t dst, bool tombstoned = false) {
    subject->put({src}, type, {dst}, tombstoned, {++seq});
  };
  const auto count = [&](std::uint32_t node, edge_direction direction) {
    std::size_t found = 0;
    subject->neighbours({node}, direction, {seq}, false, [&](const neighbour&) {
      ++found;
      return true;
    });
    return found;
  };
  for (std::uint32_t n = 1; n < 250; n += 2) link(0, n);
  for (std::uint32_t n = 3; n < 240; ++n) link(n, 1);
  for (int session = 0; session < 3; ++session) {
    const std::string image = subject->save({seq});
    subject = std::make_unique<graph>(nodes);
    REQUIRE(subject->load(image));
    CHECK(count(1, edge_direction::in) == 238U);
    CHECK(subject->ever_led_to({1}, type));
    CHECK(subject->ever_led_to(type).size() == 125U + static_cast<std::uint32_t>(session) * 10U);
    for (std::uint32_t n = 2; n < 22; n += 2)
      link(0, n + 20U * static_cast<std::uint32_t>(session));
    link(0, 1, session % 2 == 0);
    CHECK(count(0, edge_direction::out)
          == 125U + 10U * (static_cast<std::uint32_t>(session) + 1U)
                 - (session % 2 == 0 ? 1U : 0U));
    link(0, 1);
    CHECK(subject->edge_count() == count(0, edge_direction::out) + 237U);
  }
}

TEST_CASE("a damaged image of edges is refused") {
  edge_world world(31, 12);
  for (int i = 0; i < 80; ++i) world.change();
  const std::string image = world.subject->save({world.seq});
  const auto load = [&](const std::string& damaged) {
    graph fresh(world.nodes);
    auto loaded = fresh.load(damaged);
    if (!loaded) REQUIRE(fresh.edge_count() == 0);
    return loaded;
  };
  check_damage_is_refused(image, load);
  node_table few;
  graph without_nodes(few);
  CHECK(without_nodes.load(image).error().code == errc::corrupt);
}

TEST_CASE("words of an image of edges that are nobody's lists are no addresses") {
  node_table nodes;
  for (std::uint8_t n = 0; n < 3; ++n) {
    memory_id id;
    id.bytes[0] = n;
    nodes.intern(id);
  }
  graph edges(nodes);
  edges.put({0}, edge_type::references, {1}, false, {1});
  for (std::uint32_t n = 0; n < 200; ++n)
    edges.put({2}, edge_type::references, {1}, n % 2 == 0, {n + 2});
  const std::string image = edges.save({300});
  int refused = 0;
  for (std::size_t at = 8; at + 8 <= image.size(); at += 8)
    for (const std::uint64_t word : {std::uint64_t{1}, std::uint64_t{4}, ~std::uint64_t{0},
                                     std::uint64_t{1} << 40 | 2, std::uint64_t{0xFFFFFFFF}}) {
      std::string changed = image;
      std::memcpy(&changed[at], &word, sizeof word);
      graph loaded(nodes);
      if (!loaded.load(with_checksum(changed))) {
        ++refused;
        continue;
      }
      std::uint32_t seen = 0;
      for (const std::uint32_t n : {0U, 1U, 2U})
        for (const auto direction : {edge_direction::out, edge_direction::in})
          loaded.neighbours({n}, direction, {300}, true, [&](const neighbour&) {
            ++seen;
            return true;
          });
      CHECK(seen <= 1000);
    }
  CHECK(refused > 0);
}

} // namespace mneme
