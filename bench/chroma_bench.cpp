// Chroma beside a plain scan that scores every coloured memory in the same way.
#include <algorithm>
#include <map>
#include <memory>

#include <benchmark/benchmark.h>

#include "bench/dataset.hpp"
#include "index/colour/colour_search.hpp"
#include "index/colour/gravity.hpp"

namespace mneme::bench {

namespace {

constexpr std::size_t k = 5;
constexpr std::size_t query_count = 64;

/// A valid set: one Core, one Outer, six Mid anchors.
std::vector<std::uint32_t> any_anchors(generator& g) {
  std::vector<std::uint32_t> anchors = {1 + g.below(1000), 7501 + g.below(2500)};
  while (anchors.size() < 8) {
    const std::uint32_t mid = 1001 + g.below(6500);
    if (std::ranges::find(anchors, mid) == anchors.end()) anchors.push_back(mid);
  }
  return anchors;
}

/// Coloured memories of a year, some of them reinforced, in the structures that a query reads.
struct colour_data {
  node_table nodes;
  attributes rows;
  std::vector<lab_point> points;
  std::vector<memory_mode> modes;
  std::vector<colour_signals> signals;
  std::vector<lab_point> queries;
  seq_no at;
};

std::unique_ptr<colour_data> make_colours(std::size_t size) {
  auto d = std::make_unique<colour_data>();
  generator g(7);
  for (std::size_t i = 0; i < size; ++i) {
    const seq_no seq{i + 1};
    const node_no node = d->nodes.intern(id_of(i));
    const lab_point p = gravity(any_anchors(g));
    const auto mode = static_cast<memory_mode>(1 + g.below(4));
    const timestamp created{first_day.ns + g.below(365) * day_ns};
    row_values row;
    row.node = node;
    row.slot = {node.value};
    row.type = memory_type::note;
    row.created_at = created;
    row.valid_until_ns = std::numeric_limits<std::int64_t>::max();
    d->rows.put(row, seq);
    d->rows.colours().put({.node = node,
                           .point = p,
                           .mode = mode,
                           .created_at = created,
                           .findable = true,
                           .erased = false},
                          seq);
    colour_signals s;
    s.last_accessed = {created.ns + g.below(30) * day_ns};
    s.strength_e9 = g.below(4) == 0 ? g.below(8) * 1'000'000'000LL : 0;
    d->rows.colours().set_signals(node, seq, s);
    d->signals.push_back(s);
    d->points.push_back(p);
    d->modes.push_back(mode);
  }
  d->at = {size};
  for (std::size_t i = 0; i < query_count; ++i) d->queries.push_back(gravity(any_anchors(g)));
  return d;
}

const colour_data& colours_of(std::int64_t size) {
  static std::map<std::int64_t, std::unique_ptr<colour_data>> made;
  auto& d = made[size];
  if (d == nullptr) d = make_colours(static_cast<std::size_t>(size));
  return *d;
}

const timestamp now{first_day.ns + 395 * day_ns};

void chroma_k5(benchmark::State& state) {
  const colour_data& d = colours_of(state.range(0));
  std::size_t q = 0;
  std::uint64_t visited = 0;
  for (auto _ : state) {
    colour_query query;
    query.point = d.queries[q++ % query_count];
    query.now = now;
    query.at = d.at;
    colour_search search(d.rows, d.nodes, std::move(query));
    for (std::size_t i = 0; i < k; ++i) benchmark::DoNotOptimize(search.next());
    visited += search.visited();
  }
  state.counters["visited"] =
      benchmark::Counter(static_cast<double>(visited), benchmark::Counter::kAvgIterations);
}

/// No versions, no rows, no filters: the least that looking at everything costs.
void floor_chroma_scan(benchmark::State& state) {
  const colour_data& d = colours_of(state.range(0));
  std::size_t q = 0;
  for (auto _ : state) {
    const lab_point query = d.queries[q++ % query_count];
    std::vector<std::pair<double, std::uint32_t>> hits;
    hits.reserve(d.points.size());
    for (std::uint32_t i = 0; i < d.points.size(); ++i) {
      const auto s = score_signals(d.signals[i], d.modes[i], distance(query, d.points[i]), now,
                                   physics_of(d.modes[i]).weights);
      hits.emplace_back(-s.score, i);
    }
    std::ranges::partial_sort(hits, hits.begin() + k);
    benchmark::DoNotOptimize(hits.data());
  }
}

} // namespace

BENCHMARK(chroma_k5)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(floor_chroma_scan)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMicrosecond);

} // namespace mneme::bench
