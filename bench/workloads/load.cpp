/// W1: everything into an empty world, with all indexes.

#include <array>
#include <filesystem>
#include <thread>

#include <sys/resource.h>

#include "bench/workloads/bench_run.hpp"

namespace mneme::workloads {

namespace {

double cpu_us() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto us = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return us(used.ru_utime) + us(used.ru_stime);
}

/// Waits until the engine's background work is done: what it takes must not be in what follows. A
/// store that evicts now and then is as much at rest as it gets.
double wait_for_rest(std::size_t size) {
  constexpr auto look = std::chrono::milliseconds(100);
  constexpr double quiet_us = 30'000;
  constexpr int quiet_looks = 3;
  const double most_us = 20e6 + 1000.0 * static_cast<double>(size);
  const auto begin = instant::now();
  for (int quiet = 0; quiet < quiet_looks && microseconds_since(begin) < most_us;) {
    const double before = cpu_us();
    std::this_thread::sleep_for(look);
    quiet = cpu_us() - before < quiet_us ? quiet + 1 : 0;
  }
  return microseconds_since(begin);
}

/// All memories, then all edges.
load_source everything_of(const dataset& d) {
  return [&d, row = std::size_t{0}, edge = std::size_t{0}]() mutable -> std::optional<mutation> {
    if (row < d.rows.size()) return request_of(d, row++);
    if (edge == d.edges.size()) return std::nullopt;
    const auto& next = d.edges[edge++];
    add_edge_request e;
    e.src = id_of(next.src);
    e.dst = id_of(next.dst);
    e.type = next.type;
    return e;
  };
}

side_report once(std::string name, double us, std::size_t things) {
  return report_of(std::move(name), {.us = {us}, .right = 1}, static_cast<double>(things));
}

result<void> open_worlds(bench_run& run) {
  auto opened = engine::open(bench_options(run.world_directory()));
  if (!opened) return propagate(opened);
  run.world.emplace(std::move(*opened));
  auto peer = sqlite_peer::open(run.sqlite_file());
  if (!peer) return propagate(peer);
  run.sqlite = std::move(*peer);
  return {};
}

} // namespace

result<void> close_worlds(bench_run& run) {
  if (!run.world) return {};
  auto closed = run.world->close();
  run.world.reset();
  run.sqlite.reset();
  return closed;
}

result<void> reopen_worlds(bench_run& run) {
  auto opened = open_worlds(run);
  if (opened) wait_for_rest(run.options.size);
  return opened;
}

result<void> load(bench_run& run) {
  if (auto opened = open_worlds(run); !opened) return opened;
  measured m{.name = "W1", .what = "load, with edges, durable at the end"};
  m.size = run.data.rows.size();
  auto begin = instant::now();
  if (auto loaded = run.world->load(everything_of(run.data)); !loaded) return propagate(loaded);
  m.engine = once({}, microseconds_since(begin), m.size);
  auto stats = run.world->stats();
  if (!stats) return propagate(stats);
  if (stats->memories != m.size)
    return fail(errc::corrupt, "W1: not all memories are there", std::string(wrong_answer));
  m.facts.emplace_back("background_us", wait_for_rest(m.size));
  m.facts.emplace_back("journal_bytes", static_cast<double>(stats->journal_bytes));
  begin = instant::now();
  if (auto loaded = run.sqlite->load(run.data); !loaded) return loaded;
  m.peer = once("SQLite, one transaction", microseconds_since(begin), m.size);
  run.done.push_back(std::move(m));
  return {};
}

} // namespace mneme::workloads
