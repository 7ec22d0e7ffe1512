/// W3, W4a, W4b: nearest to a vector, among all and in a tag.

#include "bench/workloads/bench_run.hpp"

namespace mneme::workloads {

namespace {

result<void> near_in_tag(bench_run& run, const char* name, const char* what,
                         std::uint32_t query::* tag) {
  const auto& d = run.data;
  const auto truth = [&d, tag](std::size_t q) {
    return nearest_of(d, d.query_vector(q), d.postings[d.queries[q].*tag], 10);
  };
  const auto judged = [&](const char* who) { return judge{name, who, truth, nearness(d)}; };
  contest c{.about = {.name = name,
                      .what = what,
                      .floor = {.name = "posting list, exact distances"},
                      .peer = {.name = "SQLite's ids, floats in memory"}}};
  std::vector<find_request> requests;
  requests.reserve(query_count);
  for (std::size_t q = 0; q < query_count; ++q)
    requests.push_back(near_in_tag_request(d, q, d.queries[q].*tag));
  c.engine =
      timed_turn([&](std::size_t q) { return run.world->find(requests[q]); }, judged("the engine"));
  c.floor = floor_turn(truth);
  c.peer = timed_turn(
      [&](std::size_t q) {
        return run.sqlite->near_in_tag(d, d.query_vector(q), d.queries[q].*tag, 10);
      },
      judged("SQLite"));
  return hold(run, c);
}

} // namespace

result<void> near(bench_run& run) {
  const auto& d = run.data;
  auto& graph = tuned_graph(run);
  const auto truth = [&run](std::size_t q) { return nearest_of_query(run, q); };
  std::size_t asked = 0;
  std::size_t by_graph = 0;
  std::vector<find_request> requests;
  requests.reserve(query_count);
  for (std::size_t q = 0; q < query_count; ++q) requests.push_back(near_request(d, q));
  contest c{.about = {.name = "W3",
                      .what = "near, 10",
                      .floor = {.name = "hnswlib at recall .95"},
                      .peer = {.name = "a scan of floats in memory"}}};
  const judge judged{"W3", "the engine", truth, nearness(d)};
  c.engine = timed_turn([&](std::size_t q) { return run.world->find(requests[q]); },
                        [&](std::size_t q, const find_result& found) {
                          ++asked;
                          if (found.near_mode == near_mode::hnsw) ++by_graph;
                          return judged(q, found);
                        });
  c.floor = timed_turn(
      [&](std::size_t q) -> result<rows> { return graph.nearest(d.query_vector(q), 10); },
      [&](std::size_t q, const rows& answer) -> result<double> {
        return recall_of(truth(q), answer);
      });
  c.peer = floor_turn([&](std::size_t q) { return nearest_of_all(d, d.query_vector(q), 10); });
  if (auto held = hold(run, c); !held) return held;
  auto& m = run.done.back();
  m.facts = {{"recall", m.engine.right},
             {"by_graph_percent", 100.0 * static_cast<double>(by_graph)
                                      / static_cast<double>(std::max<std::size_t>(1, asked))},
             {"floor_recall", m.floor.right},
             {"floor_ef", static_cast<double>(run.graph_ef)}};
  return {};
}

result<void> near_in_common_tag(bench_run& run) {
  return near_in_tag(run, "W4a", "near in a tag of 1 %, 10", &query::tag_1_percent);
}

result<void> near_in_rare_tag(bench_run& run) {
  return near_in_tag(run, "W4b", "near in a tag of 0.1 %, 10", &query::tag_01_percent);
}

} // namespace mneme::workloads
