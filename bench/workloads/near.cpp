/// W3, W4a, W4b: nearest to a vector, among all and in a tag.

#include "bench/workloads/bench_run.hpp"
#include "bench/workloads/measure.hpp"

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

/// hnswlib once more, at an ef at which it finds as much as the engine did.
struct equal_floor {
  double p50_us = 0;
  double recall = 0;
  double ef = 0;
};
equal_floor floor_of_recall(bench_run& run, double wanted) {
  constexpr std::size_t ef_max = 1000;
  auto& graph = tuned_graph(run);
  equal_floor floor;
  for (std::size_t ef = run.graph_ef; ef <= ef_max; ef += ef / 2) {
    graph.set_ef(ef);
    samples taken;
    std::vector<rows> answers;
    for (std::size_t q = 0; q < query_count; ++q) {
      const auto start = instant::now();
      answers.push_back(graph.nearest(run.data.query_vector(q), 10));
      taken.us.push_back(microseconds_since(start));
    }
    for (std::size_t q = 0; q < query_count; ++q)
      taken.right += recall_of(nearest_of_query(run, q), answers[q]);
    floor = {.p50_us = percentile(taken.us, 0.5),
             .recall = taken.right / query_count,
             .ef = static_cast<double>(ef)};
    if (floor.recall >= wanted) break;
  }
  graph.set_ef(run.graph_ef);
  return floor;
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
  const equal_floor equal = floor_of_recall(run, m.engine.right);
  m.facts = {{"recall", m.engine.right},
             {"by_graph_percent", 100.0 * static_cast<double>(by_graph)
                                      / static_cast<double>(std::max<std::size_t>(1, asked))},
             {"floor_recall", m.floor.right},
             {"floor_ef", static_cast<double>(run.graph_ef)},
             {"equal_floor_us", equal.p50_us},
             {"equal_floor_recall", equal.recall},
             {"equal_floor_ef", equal.ef}};
  return {};
}

result<void> near_in_common_tag(bench_run& run) {
  return near_in_tag(run, "W4a", "near in a tag of 1 %, 10", &query::tag_1_percent);
}

result<void> near_in_rare_tag(bench_run& run) {
  return near_in_tag(run, "W4b", "near in a tag of 0.1 %, 10", &query::tag_01_percent);
}

} // namespace mneme::workloads
