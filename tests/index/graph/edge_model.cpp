#include "tests/index/graph/edge_model.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <tuple>

namespace mneme {

bool operator==(const walk_step& a, const walk_step& b) {
  return a.node == b.node && a.hop == b.hop && a.via_src == b.via_src && a.via_type == b.via_type
         && a.via_dst == b.via_dst;
}

void edge_model::put(std::uint32_t src, edge_type type, std::uint32_t dst, bool tombstoned,
                     std::uint64_t seq) {
  for (auto& s : states_) {
    if (s.src != src || s.type != type || s.dst != dst || s.end != forever) continue;
    if (s.tombstoned == tombstoned) return;
    s.end = seq;
  }
  states_.push_back({src, type, dst, tombstoned, seq, forever});
}

std::vector<met_edge> edge_model::edges_of(std::uint32_t node, edge_direction direction,
                                           std::uint64_t at, bool include_tombstoned) const {
  std::vector<met_edge> met;
  for (const auto& s : states_) {
    if (s.begin > at || at >= s.end || (s.tombstoned && !include_tombstoned)) continue;
    if (s.src == node && direction != edge_direction::in)
      met.push_back({s.type, s.dst, s.tombstoned, true});
    if (s.dst == node && direction != edge_direction::out)
      met.push_back({s.type, s.src, s.tombstoned, false});
  }
  std::ranges::sort(met, {}, [this](const met_edge& e) {
    return std::tuple(e.type, nodes_.id({e.other}), !e.is_out);
  });
  return met;
}

walk_result edge_model::walk(const walk_request& request) const {
  walk_result result;
  std::map<std::uint32_t, std::uint32_t> hops{{request.from.value, 0}};
  std::set<std::uint32_t> hidden;
  std::deque<std::uint32_t> queue{request.from.value};
  std::uint64_t visited = 0;
  while (!queue.empty()) {
    const std::uint32_t node = queue.front();
    queue.pop_front();
    const std::uint32_t hop = hops[node] + 1;
    if (hop > request.max_hops) break;
    for (const auto& e :
         edges_of(node, request.direction, request.at.value, request.include_tombstoned)) {
      const bool is_wanted =
          request.types.empty() || std::ranges::find(request.types, e.type) != request.types.end();
      if (!is_wanted || hops.contains(e.other)) continue;
      if (request.may_see && !request.may_see({e.other})) continue;
      if (visited == request.max_visited) {
        result.truncated = true;
        return result;
      }
      ++visited;
      hops[e.other] = hop;
      queue.push_back(e.other);
      if (hop < request.min_hops) continue;
      result.steps.push_back({.node = {e.other},
                              .hop = hop,
                              .via_src = {e.is_out ? node : e.other},
                              .via_type = e.type,
                              .via_dst = {e.is_out ? e.other : node}});
    }
  }
  return result;
}

std::uint64_t edge_model::live_count() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      states_, [](const edge_state& s) { return s.end == forever && !s.tombstoned; }));
}

edge_world::edge_world(std::uint64_t seed, std::uint32_t node_count)
    : model(nodes), subject(std::make_unique<graph>(nodes)), draws(seed) {
  for (std::uint32_t n = 0; n < node_count; ++n) nodes.intern(scattered_id(n));
}

void edge_world::change() {
  if (seq == 0 || !draws.one_in(8)) ++seq;
  // Squares of draws are often near 0: a few nodes become hubs.
  const auto draw = [this] {
    const std::uint64_t n = nodes.size();
    return static_cast<std::uint32_t>(std::uint64_t{draws.below(n)} * draws.below(n) / n);
  };
  const std::uint32_t src = draw();
  const std::uint32_t dst = draw();
  if (src == dst) return;
  const auto type = static_cast<edge_type>(1 + draws.below(draws.one_in(2) ? 15 : 2));
  const bool tombstoned = draws.one_in(4);
  model.put(src, type, dst, tombstoned, seq);
  subject->put({src}, type, {dst}, tombstoned, {seq});
  REQUIRE(subject->edge_count() == model.live_count());
}

void edge_world::check_neighbours(std::uint64_t at) const {
  for (std::uint32_t n = 0; n < nodes.size() + 3; ++n) {
    for (const auto direction : {edge_direction::out, edge_direction::in, edge_direction::both}) {
      for (const bool include_tombstoned : {false, true}) {
        const auto expected = n < nodes.size()
                                  ? model.edges_of(n, direction, at, include_tombstoned)
                                  : std::vector<met_edge>{};
        std::size_t i = 0;
        subject->neighbours({n}, direction, {at}, include_tombstoned, [&](const neighbour& found) {
          REQUIRE(i < expected.size());
          REQUIRE(found.type == expected[i].type);
          REQUIRE(found.node.value == expected[i].other);
          REQUIRE(found.tombstoned == expected[i].tombstoned);
          ++i;
          return true;
        });
        REQUIRE(i == expected.size());
      }
    }
  }
}

void edge_world::check_walk(std::uint64_t at) {
  std::vector<edge_type> types;
  for (std::uint32_t i = draws.below(4); i > 0; --i)
    types.push_back(static_cast<edge_type>(1 + draws.below(5)));
  walk_request request{.from = {draws.below(nodes.size())},
                       .types = types,
                       .direction = static_cast<edge_direction>(draws.below(3)),
                       .min_hops = 1 + draws.below(2),
                       .max_hops = 2 + draws.below(5),
                       .include_tombstoned = draws.one_in(3),
                       .max_visited = draws.one_in(3) ? draws.below(20) : 100'000,
                       .at = {at},
                       .may_see = {}};
  if (draws.one_in(3)) request.may_see = [](node_no node) { return node.value % 3 != 0; };
  const walk_result expected = model.walk(request);
  const walk_result found = subject->walk(request);
  REQUIRE(found.truncated == expected.truncated);
  REQUIRE(found.steps.size() == expected.steps.size());
  for (std::size_t i = 0; i < found.steps.size(); ++i)
    REQUIRE((found.steps[i] == expected.steps[i]));
}

void edge_world::reload() {
  const std::string image = subject->save({seq});
  auto loaded = std::make_unique<graph>(nodes);
  REQUIRE(loaded->load(image));
  REQUIRE(loaded->save({seq}) == image);
  subject = std::move(loaded);
}

} // namespace mneme
