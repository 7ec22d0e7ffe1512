// Queries, each beside what the hardware and the bare library do for the same data in the same run.
#include <algorithm>
#include <map>
#include <memory>
#include <queue>

#include <benchmark/benchmark.h>

#include "bench/dataset.hpp"
#include "bench/workloads/dataset.hpp"
#include "bench/workloads/hnsw_floor.hpp"

namespace mneme::bench {

namespace {

constexpr std::uint32_t common_tag = 5; // about 2 % of the memories
constexpr std::int64_t from_day = 60;
constexpr std::int64_t to_day = 240;

predicate compare(comparison op, std::string field, literal value) {
  return {compare_predicate{op, std::move(field), std::move(value)}};
}

void find_tag_type_time(benchmark::State& state) {
  engine& e = loaded_engine(static_cast<std::size_t>(state.range(0)));
  find_request f;
  f.include_archived = true; // some random edges say that one memory supersedes another
  f.types = {memory_type::decision};
  f.where = predicate{
      and_predicate{{predicate{has_tag_predicate{tag_name(common_tag)}},
                     compare(comparison::gte, "head.created_at", first_day.ns + from_day * day_ns),
                     compare(comparison::lt, "head.created_at", first_day.ns + to_day * day_ns)}}};
  f.limit = 20;
  std::size_t rows = 0;
  for (auto _ : state) {
    auto found = e.find(f);
    if (!found) return state.SkipWithError(found.error().message.c_str());
    rows = found->memories.size();
  }
  state.counters["rows"] = static_cast<double>(rows);
}

void floor_scan_tag_type_time(benchmark::State& state) {
  const dataset& d = dataset_of(static_cast<std::size_t>(state.range(0)));
  std::vector<std::uint32_t> posting;
  for (std::uint32_t i = 0; i < d.rows.size(); ++i)
    if (std::ranges::count(d.rows[i].tags, common_tag) > 0) posting.push_back(i);
  for (auto _ : state) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> hits;
    for (const auto i : posting) {
      const row& r = d.rows[i];
      if (r.type == memory_type::decision && r.created_at.ns >= first_day.ns + from_day * day_ns
          && r.created_at.ns < first_day.ns + to_day * day_ns)
        hits.emplace_back(-r.importance, i);
    }
    const auto k = std::min<std::size_t>(20, hits.size());
    std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(k), hits.end());
    benchmark::DoNotOptimize(hits.data());
  }
}

void find_near(benchmark::State& state, bool exact) {
  engine& e = loaded_engine(static_cast<std::size_t>(state.range(0)));
  const dataset& d = dataset_of(static_cast<std::size_t>(state.range(0)));
  find_request f;
  f.include_archived = true; // as above
  f.limit = 10;
  f.near_k = 10;
  f.exact = exact;
  std::size_t q = 0;
  bool hnsw = false;
  for (auto _ : state) {
    f.near_vector = d.query(q++);
    auto found = e.find(f);
    if (!found) return state.SkipWithError(found.error().message.c_str());
    hnsw = found->near_mode == near_mode::hnsw;
  }
  state.SetLabel(hnsw ? "hnsw" : "exact");
}

void floor_hnswlib(benchmark::State& state) {
  static_assert(dimension == workloads::dimension);
  static std::map<std::int64_t, std::unique_ptr<workloads::hnsw_floor>> graphs;
  const dataset& d = dataset_of(static_cast<std::size_t>(state.range(0)));
  auto& graph = graphs[state.range(0)];
  if (graph == nullptr) {
    graph = std::make_unique<workloads::hnsw_floor>(d.vectors.data(), d.rows.size());
    graph->set_ef(64);
  }
  std::size_t q = 0;
  for (auto _ : state) {
    const auto query = d.query(q++);
    benchmark::DoNotOptimize(graph->nearest(query.data(), 10).data());
  }
}

void floor_scan_near(benchmark::State& state) {
  const dataset& d = dataset_of(static_cast<std::size_t>(state.range(0)));
  std::size_t q = 0;
  for (auto _ : state) {
    const auto query = d.query(q++);
    std::priority_queue<std::pair<float, std::size_t>> best;
    for (std::size_t i = 0; i < d.rows.size(); ++i) {
      const float* v = d.vector_of(i);
      float lanes[8] = {};
      for (std::size_t k = 0; k < dimension; k += 8)
        for (std::size_t l = 0; l < 8; ++l) lanes[l] += v[k + l] * query[k + l];
      float dot = 0;
      for (const float l : lanes) dot += l;
      if (best.size() < 10)
        best.emplace(-dot, i);
      else if (-dot < best.top().first) {
        best.pop();
        best.emplace(-dot, i);
      }
    }
    benchmark::DoNotOptimize(best.top());
  }
}

void find_three_hops(benchmark::State& state) {
  engine& e = loaded_engine(static_cast<std::size_t>(state.range(0)));
  find_request f;
  f.limit = 20;
  follow_spec follow;
  follow.types = {edge_type::derived_from, edge_type::supersedes};
  follow.direction = edge_direction::both;
  follow.max_hops = 3;
  f.follow = follow;
  generator g(7);
  for (auto _ : state) {
    f.from = id_of(g.below(static_cast<std::uint32_t>(state.range(0))));
    auto found = e.find(f);
    if (!found) return state.SkipWithError(found.error().message.c_str());
  }
}

/// Adjacency of the two edge types in compressed rows.
struct adjacency {
  std::vector<std::uint32_t> offset;
  std::vector<std::uint32_t> target;
};

adjacency adjacency_of(const dataset& d) {
  std::vector<std::vector<std::uint32_t>> lists(d.rows.size());
  for (std::size_t i = 0; i < d.edges.size(); ++i) {
    if (d.edge_types[i] > 2) continue;
    lists[d.edges[i].first].push_back(d.edges[i].second);
    lists[d.edges[i].second].push_back(d.edges[i].first);
  }
  adjacency a;
  for (const auto& l : lists) {
    a.offset.push_back(static_cast<std::uint32_t>(a.target.size()));
    a.target.insert(a.target.end(), l.begin(), l.end());
  }
  a.offset.push_back(static_cast<std::uint32_t>(a.target.size()));
  return a;
}

void floor_three_hops(benchmark::State& state) {
  const dataset& d = dataset_of(static_cast<std::size_t>(state.range(0)));
  const adjacency a = adjacency_of(d);
  std::vector<std::uint8_t> hop(d.rows.size(), 255);
  generator g(7);
  std::vector<std::uint32_t> order;
  for (auto _ : state) {
    const auto start = g.below(static_cast<std::uint32_t>(d.rows.size()));
    order.assign(1, start);
    hop[start] = 0;
    for (std::size_t h = 0; h < order.size(); ++h) {
      const auto u = order[h];
      if (hop[u] == 3) break;
      for (auto k = a.offset[u]; k < a.offset[u + 1]; ++k) {
        const auto v = a.target[k];
        if (hop[v] != 255) continue;
        hop[v] = static_cast<std::uint8_t>(hop[u] + 1);
        order.push_back(v);
      }
    }
    benchmark::DoNotOptimize(order.data());
    for (const auto u : order) hop[u] = 255;
  }
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
}

BENCHMARK(find_tag_type_time)->Apply(sizes);
BENCHMARK(floor_scan_tag_type_time)->Apply(sizes);
BENCHMARK_CAPTURE(find_near, default, false)->Apply(sizes);
BENCHMARK_CAPTURE(find_near, exact, true)->Apply(sizes);
BENCHMARK(floor_hnswlib)->Apply(sizes);
BENCHMARK(floor_scan_near)->Apply(sizes);
BENCHMARK(find_three_hops)->Apply(sizes);
BENCHMARK(floor_three_hops)->Apply(sizes);

} // namespace

} // namespace mneme::bench
