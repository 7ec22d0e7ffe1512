/// W9: what a world takes of disk and memory. W10: open it, and the first answers.

#include <filesystem>

#include "bench/workloads/bench_run.hpp"
#include "bench/workloads/dot.hpp"

namespace mneme::workloads {

namespace {

/// What an errand that opens something answers, as numbers: three of them, then two lists of rows.
struct opening {
  double first_find_us = 0; ///< opening included
  double first_near_us = 0; ///< likewise
  double memory_bytes = 0;  ///< grown by, with everything used once
  rows found{};
  rows near{};

  [[nodiscard]] std::vector<double> numbers() const {
    std::vector<double> all{first_find_us, first_near_us, memory_bytes,
                            static_cast<double>(found.size())};
    all.insert(all.end(), found.begin(), found.end());
    all.insert(all.end(), near.begin(), near.end());
    return all;
  }
  static opening of(const std::vector<double>& n) {
    opening o{.first_find_us = n[0], .first_near_us = n[1], .memory_bytes = n[2]};
    const auto middle = n.begin() + 4 + static_cast<std::ptrdiff_t>(n[3]);
    for (auto it = n.begin() + 4; it != n.end(); ++it)
      (it < middle ? o.found : o.near).push_back(static_cast<std::uint32_t>(*it));
    return o;
  }
};

/// The queries of W4 to W7 that make hot what is kept in memory.
constexpr std::size_t hot_queries = 200;

result<void> make_hot(engine& world, const dataset& d) {
  for (std::size_t q = 0; q < hot_queries; ++q) {
    auto in_tag = near_in_tag_request(d, q, d.queries[q].tag_1_percent);
    auto walk = walk_request(d.queries[q], 2, {});
    walk.limit = 20;
    for (auto& f : {near_request(d, q), in_tag, salient_request(d.queries[q]), walk})
      if (auto found = world.find(f); !found) return propagate(found);
  }
  return {};
}

double bytes_in(const std::string& directory, const std::string& only = {}) {
  std::error_code ignored;
  double sum = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, ignored)) {
    if (!entry.is_regular_file(ignored)) continue;
    if (!only.empty() && entry.path().string().find(only) == std::string::npos) continue;
    sum += static_cast<double>(entry.file_size(ignored));
  }
  return sum;
}

/// What was given to the world: text, vector, columns; source, type and destination of edges.
double payload_bytes(const dataset& d) {
  constexpr double columns = 40;
  constexpr double edge_bytes = 16;
  double sum = static_cast<double>(d.vectors.size() * sizeof(float));
  for (const auto& text : d.texts) sum += static_cast<double>(text.size()) + columns;
  return sum + edge_bytes * static_cast<double>(d.edges.size());
}

result<void> judge_opening(const bench_run& run, const opening& o, const char* who) {
  const auto& d = run.data;
  const rows found = most_salient(d, in_tag_type_time(d, d.queries[0]), 20);
  if (!is_same_order(found, o.found, [&](std::uint32_t i) { return salience_of(d.rows[i]); }))
    return std::unexpected(wrong("W10 (W5)", 0, who, found, o.found));
  const rows near = nearest_of_all(d, d.query_vector(0), 10);
  const auto nearness_of = [&](std::uint32_t i) {
    return exact_dot(d.query_vector(0), d.vector_of(i));
  };
  if (o.near.size() != near.size() || recall_of(near, o.near, nearness_of) < 0.5)
    return std::unexpected(wrong("W10 (near)", 0, who, near, o.near));
  return {};
}

/// The same errand several times; `each` gets every opening.
result<void> open_often(bench_run& run, errand what, const char* who,
                        const std::function<void(const opening&)>& each) {
  constexpr int times = 3;
  for (int i = 0; i < times; ++i) {
    auto numbers = run.processes->run(static_cast<std::size_t>(what));
    if (!numbers) return propagate(numbers);
    const auto o = opening::of(*numbers);
    if (auto right = judge_opening(run, o, who); !right) return right;
    each(o);
  }
  return {};
}

} // namespace

errand_answer open_world_errand(const bench_run& run) {
  const auto& d = run.data;
  const double before = resident_bytes();
  const auto start = instant::now();
  opening o;
  auto world = engine::open(bench_options(run.world_directory()));
  if (!world) return propagate(world);
  auto found = world->find(salient_request(d.queries[0]));
  if (!found) return propagate(found);
  o.first_find_us = microseconds_since(start);
  auto near = world->find(near_request(d, 0));
  if (!near) return propagate(near);
  o.first_near_us = microseconds_since(start);
  if (auto hot = make_hot(*world, d); !hot) return propagate(hot);
  o.memory_bytes = resident_bytes() - before;
  o.found = rows_of(*found);
  o.near = rows_of(*near);
  if (auto closed = world->close(); !closed) return propagate(closed);
  return o.numbers();
}

errand_answer open_sqlite_errand(const bench_run& run) {
  const auto& d = run.data;
  const double before = resident_bytes();
  const auto start = instant::now();
  opening o;
  auto opened = sqlite_peer::open(run.sqlite_file());
  if (!opened) return propagate(opened);
  auto& peer = **opened;
  auto found = peer.salient(d.queries[0]);
  if (!found) return propagate(found);
  o.first_find_us = microseconds_since(start);
  // The nearest of the floats that it has just read.
  dataset read;
  auto vectors = peer.vectors();
  if (!vectors) return propagate(vectors);
  read.vectors = std::move(*vectors);
  read.rows.resize(read.vectors.size() / dimension);
  o.near = nearest_of_all(read, d.query_vector(0), 10);
  o.first_near_us = microseconds_since(start);
  read.rows = {};
  for (std::size_t q = 0; q < hot_queries; ++q) {
    auto in_tag = peer.near_in_tag(read, d.query_vector(q), d.queries[q].tag_1_percent, 10);
    auto salient = peer.salient(d.queries[q]);
    auto walked = peer.within_three_hops(d.queries[q]);
    for (const auto* answered : {&in_tag, &salient, &walked})
      if (!*answered) return std::unexpected(answered->error());
  }
  o.memory_bytes = resident_bytes() - before;
  o.found = std::move(*found);
  return o.numbers();
}

result<void> room_taken(bench_run& run) {
  measured disk{.name = "W9 disk", .what = "on disk, closed", .size = run.options.size};
  disk.engine.bytes = bytes_in(run.world_directory());
  disk.floor = {.name = "what was given"};
  disk.floor.bytes = payload_bytes(run.data);
  disk.peer = {.name = "SQLite"};
  disk.peer.bytes = bytes_in(run.options.directory + "/sqlite");
  disk.facts.emplace_back("of_it_journal_bytes", bytes_in(run.world_directory(), "/journal"));
  measured memory{
      .name = "W9 memory", .what = "memory, with everything used", .size = run.options.size};
  memory.floor = disk.floor;
  memory.peer = {.name = "SQLite, floats in memory"};
  auto opened = open_often(run, errand::open_world, "the engine",
                           [&](const opening& o) { memory.engine.bytes = o.memory_bytes; });
  if (!opened) return opened;
  opened = open_often(run, errand::open_sqlite, "SQLite",
                      [&](const opening& o) { memory.peer.bytes = o.memory_bytes; });
  if (!opened) return opened;
  run.done.push_back(std::move(disk));
  run.done.push_back(std::move(memory));
  return {};
}

result<void> reopened(bench_run& run) {
  measured find{.name = "W10", .what = "open in a new process, first W5", .size = run.options.size};
  measured near{
      .name = "W10 near", .what = "the same, then the first near", .size = run.options.size};
  const auto open = [&](errand what, const char* who, side_report measured::* side,
                        const char* name) -> result<void> {
    samples finds;
    samples nears;
    auto opened = open_often(run, what, who, [&](const opening& o) {
      finds.us.push_back(o.first_find_us);
      nears.us.push_back(o.first_near_us);
      ++finds.right;
      ++nears.right;
    });
    find.*side = report_of(name, finds);
    near.*side = report_of(name, nears);
    return opened;
  };
  auto opened = open(errand::open_world, "the engine", &measured::engine, "");
  if (!opened) return opened;
  opened = open(errand::open_sqlite, "SQLite", &measured::peer, "SQLite, floats read to memory");
  if (!opened) return opened;
  run.done.push_back(std::move(find));
  run.done.push_back(std::move(near));
  return {};
}

} // namespace mneme::workloads
