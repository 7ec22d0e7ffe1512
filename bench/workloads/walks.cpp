/// W6: what is within three hops. W7: near in a tag within two hops.

#include "bench/workloads/bench_run.hpp"

namespace mneme::workloads {

namespace {

rows numbers_of(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& reached) {
  rows numbers;
  for (const auto& [i, hops] : reached) numbers.push_back(i);
  return numbers;
}

} // namespace

result<void> three_hops(bench_run& run) {
  const auto& d = run.data;
  const auto reached = [&d](std::size_t q) { return within_three_hops(d, d.queries[q]); };
  std::vector<find_request> requests;
  requests.reserve(d.queries.size());
  for (const auto& q : d.queries) {
    requests.push_back(three_hops_request(q));
  }
  contest c{.about = {.name = "W6",
                      .what = "3 hops over 2 types, 20",
                      .floor = {.name = "walk over an array"},
                      .peer = {.name = "SQLite, a query a step"}}};
  // Equally far ones come in the order of their ids: there is one right answer.
  const auto judged = [reached](std::size_t q, const rows& answer,
                                const char* who) -> result<double> {
    const rows truth = numbers_of(reached(q));
    if (answer != truth) return std::unexpected(wrong("W6", q, who, truth, answer));
    return 1.0;
  };
  c.engine =
      timed_turn([&](std::size_t q) { return run.world->find(requests[q]); },
                 [&, judged](std::size_t q, const find_result& found) -> result<double> {
                   rows hops;
                   for (const auto& [i, depth] : reached(q)) hops.push_back(depth);
                   const rows answered(found.hops.begin(), found.hops.end());
                   if (answered != hops)
                     return std::unexpected(wrong("W6 (hops)", q, "the engine", hops, answered));
                   return judged(q, rows_of(found), "the engine");
                 });
  c.floor = floor_turn(reached);
  c.peer = timed_turn(
      [&](std::size_t q) { return run.sqlite->within_three_hops(d.queries[q]); },
      [judged](std::size_t q, const rows& answer) { return judged(q, answer, "SQLite"); });
  return hold(run, c);
}

result<void> near_in_reach(bench_run& run) {
  const auto& d = run.data;
  const auto truth = [&d](std::size_t q) {
    return nearest_of(d, d.query_vector(q), tagged_in_reach(d, d.queries[q]), 10);
  };
  std::vector<find_request> requests;
  for (std::size_t q = 0; q < query_count; ++q) {
    auto f = near_request(d, q);
    const auto walk = walk_request(d.queries[q], 2, {});
    f.from = walk.from;
    f.follow = walk.follow;
    f.rank = rank_kind::distance;
    f.where = predicate{has_tag_predicate{tag_name(d.queries[q].tag_in_reach)}};
    requests.push_back(std::move(f));
  }
  contest c{.about = {.name = "W7",
                      .what = "near in a tag within 2 hops, 10",
                      .floor = {.name = "walk, tag, exact distances"},
                      .peer = {.name = "SQLite, a query a step, floats in memory"}}};
  c.engine = timed_turn([&](std::size_t q) { return run.world->find(requests[q]); },
                        judge{"W7", "the engine", truth, nearness(d)});
  c.floor = floor_turn(truth);
  c.peer = timed_turn(
      [&](std::size_t q) { return run.sqlite->near_in_reach(d, d.queries[q], d.query_vector(q)); },
      judge{"W7", "SQLite", truth, nearness(d)});
  return hold(run, c);
}

} // namespace mneme::workloads
