#include "bench/workloads/bench_run.hpp"

#include "bench/workloads/dot.hpp"

namespace mneme::workloads {

engine_options bench_options(std::string directory) {
  engine_options o;
  o.directory = std::move(directory);
  o.embedder_spec = "none";
  o.seed = 1;
  o.clock = std::make_shared<manual_clock>(query_time);
  return o;
}

result<void> hold(bench_run& run, const contest& c) {
  auto measured = measure(c, run.options.seconds_each);
  if (!measured) return propagate(measured);
  measured->size = run.options.size;
  run.done.push_back(std::move(*measured));
  return {};
}

rows rows_of(const find_result& found) {
  rows answer;
  for (const auto& m : found.memories)
    answer.push_back(static_cast<std::uint32_t>(row_of(m.head->id)));
  return answer;
}

const rows& nearest_of_query(bench_run& run, std::size_t q) {
  auto& known = run.nearest[q];
  if (known.empty()) known = nearest_of_all(run.data, run.data.query_vector(q), 10);
  return known;
}

hnsw_floor& tuned_graph(bench_run& run) {
  if (run.graph) return *run.graph;
  constexpr std::size_t queries = 100;
  constexpr double wanted = 0.955;
  run.graph = std::make_unique<hnsw_floor>(run.data.vectors.data(), run.options.size);
  for (std::size_t ef = 10; ef <= 2000; ef += ef / 4) {
    run.graph->set_ef(ef);
    double recall = 0;
    for (std::size_t q = 0; q < queries; ++q)
      recall +=
          recall_of(nearest_of_query(run, q), run.graph->nearest(run.data.query_vector(q), 10));
    run.graph_ef = ef;
    run.graph_recall = recall / queries;
    if (run.graph_recall >= wanted) break;
  }
  return *run.graph;
}

result<double> judge::operator()(std::size_t i, const rows& answer) const {
  const rows right = truth(i);
  const auto score_here = [&](std::uint32_t row) { return score(i, row); };
  if (!is_same_order(right, answer, score_here))
    return std::unexpected(wrong(workload, i, who, right, answer));
  return 1.0;
}

result<double> judge::operator()(std::size_t i, const find_result& found) const {
  const rows answer = rows_of(found);
  if (found.near_mode != near_mode::hnsw) return (*this)(i, answer);
  const rows right = truth(i);
  if (answer.size() != right.size()) return std::unexpected(wrong(workload, i, who, right, answer));
  return recall_of(right, answer, [&](std::uint32_t row) { return score(i, row); });
}

row_score nearness(const dataset& d) {
  return [&d](std::size_t q, std::uint32_t row) {
    return exact_dot(d.query_vector(q), d.vector_of(row));
  };
}

result<std::size_t> journal_growth::take() {
  const auto stats = world_.stats();
  if (!stats) return std::unexpected(stats.error());
  const auto grown = stats->journal_bytes - last_;
  last_ = stats->journal_bytes;
  return static_cast<std::size_t>(grown);
}

} // namespace mneme::workloads
