#include "bench/workloads/run.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <optional>

#include "bench/workloads/floors.hpp"
#include "bench/workloads/hnsw_floor.hpp"
#include "bench/workloads/measure.hpp"
#include "mneme/engine.hpp"

namespace mneme::workloads {

namespace {

using instant = std::chrono::steady_clock;

double microseconds_since(instant::time_point start) {
  return std::chrono::duration<double, std::micro>(instant::now() - start).count();
}

/// One run: the data, the world that holds it, and what was measured so far.
struct bench_run {
  run_options options;
  dataset data;
  std::optional<engine> world{};
  std::optional<bench::hnsw_floor> graph{};
  std::vector<measured> done{};
};

/// One repetition of a workload: the engine's turn gives its answer's share of right ones.
struct repetition {
  std::function<result<double>(std::size_t)> engine_turn;
  std::function<void(std::size_t)> floor_turn; ///< null: no floor
};

/// A value that the compiler cannot foresee to be unused.
void keep(const rows& answer) {
  asm volatile("" : : "r"(answer.data()) : "memory");
}

/// The engine and its floor in turns, so that what disturbs one disturbs the other. The answer is
/// judged outside the time: a turn is timed by `timed`.
struct stopwatch {
  double microseconds = 0;
  template <class Call>
  auto timed(Call&& call) {
    const auto start = instant::now();
    auto answer = std::forward<Call>(call)();
    microseconds = microseconds_since(start);
    return answer;
  }
};

result<void> measure(bench_run& run, measured m, stopwatch& watch, const repetition& once) {
  constexpr std::size_t most = 1000;
  std::vector<double> ours;
  std::vector<double> floor;
  double right = 0;
  const auto begin = instant::now();
  while (ours.size() < most
         && (ours.size() < 3 || microseconds_since(begin) < run.options.seconds_each * 1e6)) {
    auto answered = once.engine_turn(ours.size());
    if (!answered) return std::unexpected(answered.error());
    right += *answered;
    ours.push_back(watch.microseconds);
    if (!once.floor_turn) continue;
    const auto start = instant::now();
    once.floor_turn(ours.size() - 1);
    floor.push_back(microseconds_since(start));
  }
  m.size = run.data.rows.size();
  m.repetitions = ours.size();
  m.right = right / static_cast<double>(ours.size());
  m.p50_us = percentile(ours, 0.5);
  m.p99_us = percentile(ours, 0.99);
  m.per_second = 1e6 * static_cast<double>(ours.size()) / std::reduce(ours.begin(), ours.end());
  m.floor_p50_us = percentile(floor, 0.5);
  m.floor_p99_us = percentile(floor, 0.99);
  run.done.push_back(std::move(m));
  return {};
}

rows rows_of(const find_result& found) {
  rows answer;
  for (const auto& m : found.memories)
    answer.push_back(static_cast<std::uint32_t>(row_of(m.head.id)));
  return answer;
}

double recall_of(const rows& truth, const rows& answer) {
  if (truth.empty()) return answer.empty() ? 1 : 0;
  const auto hit = std::ranges::count_if(
      truth, [&](std::uint32_t i) { return std::ranges::count(answer, i) > 0; });
  return static_cast<double>(hit) / static_cast<double>(truth.size());
}

find_request near_request(const dataset& d, std::size_t q) {
  find_request f;
  f.near_vector = std::vector<float>(d.query_vector(q), d.query_vector(q) + dimension);
  f.near_k = 10;
  f.limit = 10;
  return f;
}

find_request salient_request(const query& q) {
  find_request f;
  f.types = {q.type};
  f.where = predicate{
      and_predicate{{predicate{has_tag_predicate{tag_name(q.tag_of_find)}},
                     predicate{compare_predicate{comparison::gte, "head.created_at", q.from.ns}},
                     predicate{compare_predicate{comparison::lt, "head.created_at", q.until.ns}}}}};
  f.limit = 20;
  return f;
}

/// By what every salience agrees on: all are candidates, as many as there can be, and nobody who
/// was left out is both more important and newer than the last of them.
bool is_right_salient(const dataset& d, const query& q, const rows& answer) {
  const auto candidates = in_tag_type_time(d, q);
  if (answer.size() != std::min<std::size_t>(20, candidates.size())) return false;
  if (recall_of(answer, candidates) < 1) return false;
  return std::ranges::none_of(candidates, [&](std::uint32_t i) {
    if (std::ranges::count(answer, i) > 0) return false;
    const auto& last = d.rows[answer.back()];
    return d.rows[i].importance > last.importance && d.rows[i].created_at.ns > last.created_at.ns;
  });
}

result<void> load(bench_run& run) {
  const auto& d = run.data;
  constexpr std::size_t batch = 256;
  std::vector<mutation> items;
  const auto begin = instant::now();
  const auto add = [&](mutation item, bool is_last) -> result<void> {
    items.push_back(std::move(item));
    if (items.size() < batch && !is_last) return {};
    auto written = run.world->write_batch(std::exchange(items, {}),
                                          is_last ? durability::durable : durability::relaxed);
    if (!written) return std::unexpected(written.error());
    return {};
  };
  for (std::size_t i = 0; i < d.rows.size(); ++i)
    if (auto added = add(request_of(d, i), i + 1 == d.rows.size()); !added) return added;
  for (std::size_t i = 0; i < d.edges.size(); ++i) {
    add_edge_request e;
    e.src = id_of(d.edges[i].src);
    e.dst = id_of(d.edges[i].dst);
    e.type = d.edges[i].type;
    if (auto added = add(e, i + 1 == d.edges.size()); !added) return added;
  }
  measured m{.name = "W1", .what = "load, with edges, durable at the end"};
  m.size = d.rows.size();
  m.repetitions = 1;
  m.p50_us = m.p99_us = microseconds_since(begin);
  m.per_second = 1e6 * static_cast<double>(d.rows.size()) / m.p50_us;
  auto stats = run.world->stats();
  if (!stats) return std::unexpected(stats.error());
  m.right = stats->memories == d.rows.size() ? 1 : 0;
  run.done.push_back(std::move(m));
  return {};
}

result<void> near(bench_run& run) {
  const auto& d = run.data;
  run.graph.emplace(d.vectors.data(), d.rows.size(), dimension);
  rows all(d.rows.size());
  std::iota(all.begin(), all.end(), 0U);
  stopwatch watch;
  return measure(run, {.name = "W3", .what = "near, 10", .floor = "hnswlib, ef 64"}, watch,
                 {[&](std::size_t q) -> result<double> {
                    auto found = watch.timed([&] { return run.world->find(near_request(d, q)); });
                    if (!found) return std::unexpected(found.error());
                    return recall_of(nearest_of(d, d.query_vector(q), all, 10), rows_of(*found));
                  },
                  [&](std::size_t q) { (void)run.graph->nearest(d.query_vector(q), 10); }});
}

result<void> near_in_tag(bench_run& run, const char* name, const char* what,
                         std::uint32_t query::* tag) {
  const auto& d = run.data;
  stopwatch watch;
  const auto truth = [&](std::size_t q) {
    return nearest_of(d, d.query_vector(q), d.postings[d.queries[q].*tag], 10);
  };
  return measure(run, {.name = name, .what = what, .floor = "posting list and exact distances"},
                 watch,
                 {[&](std::size_t q) -> result<double> {
                    auto f = near_request(d, q);
                    f.where = predicate{has_tag_predicate{tag_name(d.queries[q].*tag)}};
                    auto found = watch.timed([&] { return run.world->find(f); });
                    if (!found) return std::unexpected(found.error());
                    return recall_of(truth(q), rows_of(*found));
                  },
                  [&](std::size_t q) { keep(truth(q)); }});
}

result<void> salient(bench_run& run) {
  const auto& d = run.data;
  stopwatch watch;
  return measure(run,
                 {.name = "W5",
                  .what = "tag, type and time by salience, 20",
                  .floor = "posting list, exp() of all"},
                 watch,
                 {[&](std::size_t q) -> result<double> {
                    const auto f = salient_request(d.queries[q]);
                    auto found = watch.timed([&] { return run.world->find(f); });
                    if (!found) return std::unexpected(found.error());
                    return is_right_salient(d, d.queries[q], rows_of(*found)) ? 1 : 0;
                  },
                  [&](std::size_t q) { keep(best_in_tag_type_time(d, d.queries[q])); }});
}

find_request walk_request(const query& q, std::int64_t hops, std::vector<edge_type> types) {
  find_request f;
  f.from = id_of(q.start);
  f.follow =
      follow_spec{.types = std::move(types), .direction = edge_direction::both, .max_hops = hops};
  return f;
}

result<void> three_hops(bench_run& run) {
  const auto& d = run.data;
  stopwatch watch;
  const auto reached = [&](const query& q) {
    return rows_around(d, q.start, 3, {q.edge_types[0], q.edge_types[1]});
  };
  return measure(
      run, {.name = "W6", .what = "3 hops over 2 types, 20", .floor = "walk over an array"}, watch,
      {[&](std::size_t i) -> result<double> {
         const auto& q = d.queries[i];
         auto f = walk_request(q, 3, {edge_type{q.edge_types[0]}, edge_type{q.edge_types[1]}});
         f.order = {{order_field::hop}};
         f.limit = 20;
         auto found = watch.timed([&] { return run.world->find(f); });
         if (!found) return std::unexpected(found.error());
         // Which of equally far rows come first is the engine's to say: their hops are not.
         std::vector<std::int64_t> hops;
         for (const auto& [row, depth] : reached(q)) hops.push_back(depth);
         hops.resize(std::min<std::size_t>(20, hops.size()));
         return hops == found->hops ? 1 : 0;
       },
       [&](std::size_t q) {
         const auto order = reached(d.queries[q]);
         asm volatile("" : : "r"(order.data()) : "memory");
       }});
}

result<void> near_in_reach(bench_run& run) {
  const auto& d = run.data;
  stopwatch watch;
  const auto truth = [&](std::size_t q) {
    return nearest_of(d, d.query_vector(q), tagged_in_reach(d, d.queries[q]), 10);
  };
  return measure(run,
                 {.name = "W7",
                  .what = "near in a tag within 2 hops, 10",
                  .floor = "walk, tag, exact distances"},
                 watch,
                 {[&](std::size_t q) -> result<double> {
                    auto f = near_request(d, q);
                    auto walk = walk_request(d.queries[q], 2, {});
                    f.from = walk.from;
                    f.follow = walk.follow;
                    f.where = predicate{has_tag_predicate{tag_name(d.queries[q].tag_in_reach)}};
                    auto found = watch.timed([&] { return run.world->find(f); });
                    if (!found) return std::unexpected(found.error());
                    return recall_of(truth(q), rows_of(*found));
                  },
                  [&](std::size_t q) { keep(truth(q)); }});
}

/// Bytes that one write adds to the journal, as the floor of a durable one syncs them.
constexpr std::size_t journal_bytes_of_write = 1800;

result<void> write(bench_run& run) {
  const auto& d = run.data;
  synced_file file(run.options.directory + "/floor.bin");
  stopwatch watch;
  return measure(
      run, {.name = "W2", .what = "a durable memory and edge", .floor = "fdatasync of 1,800 bytes"},
      watch,
      {[&](std::size_t i) -> result<double> {
         auto w = request_of(d, i % d.rows.size());
         w.id = id_of(d.rows.size() + i);
         w.created_at.reset();
         add_edge_request e;
         e.src = *w.id;
         e.dst = id_of(i % d.rows.size());
         e.type = 3;
         auto written = watch.timed([&] { return run.world->write_batch({w, e}); });
         if (!written) return std::unexpected(written.error());
         return run.world->get(*w.id) ? 1 : 0;
       },
       [&](std::size_t) { file.append(journal_bytes_of_write); }});
}

struct workload {
  const char* name;
  result<void> (*run)(bench_run&);
};

/// Reads first: what the write adds is not in their truth.
constexpr workload workloads[] = {
    {"W3", near},
    {"W4a",
     [](bench_run& r) {
       return near_in_tag(r, "W4a", "near in a tag of 1 %, 10", &query::tag_1_percent);
     }},
    {"W4b",
     [](bench_run& r) {
       return near_in_tag(r, "W4b", "near in a tag of 0.1 %, 10", &query::tag_01_percent);
     }},
    {"W5", salient},
    {"W6", three_hops},
    {"W7", near_in_reach},
    {"W2", write},
};

bool is_asked(const run_options& o, std::string_view name) {
  return o.names.empty() || std::ranges::count(o.names, name) > 0;
}

} // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names{"W1"};
  for (const auto& w : workloads) names.emplace_back(w.name);
  return names;
}

result<std::vector<measured>> run(const run_options& options,
                                  const std::function<void(const std::string&)>& progress) {
  progress("making the data");
  bench_run r{.options = options, .data = make_dataset(options.size, options.seed)};
  engine_options o;
  o.directory = options.directory + "/world";
  o.embedder_spec = "none";
  o.clock = std::make_shared<manual_clock>(query_time);
  auto opened = engine::open(o);
  if (!opened) return std::unexpected(opened.error());
  r.world.emplace(std::move(*opened));
  progress("W1");
  if (auto loaded = load(r); !loaded) return std::unexpected(loaded.error());
  if (!is_asked(options, "W1")) r.done.clear();
  for (const auto& w : workloads) {
    if (!is_asked(options, w.name)) continue;
    progress(w.name);
    if (auto ran = w.run(r); !ran) return std::unexpected(ran.error());
  }
  if (auto closed = r.world->close(); !closed) return std::unexpected(closed.error());
  return std::move(r.done);
}

} // namespace mneme::workloads
