/// W2 as it is asked for besides: not durable, by 64 threads at once, and beside a checkpoint.

#include <atomic>
#include <thread>

#include "bench/workloads/bench_run.hpp"

namespace mneme::workloads {

namespace {

constexpr std::size_t writer_count = 64;

/// One writer's share.
struct writer {
  samples taken{};
  result<void> outcome{};
};

/// A memory like row `like`, with an id of its own.
write_request memory_like(const dataset& d, std::size_t like, std::size_t number) {
  auto w = request_of(d, like);
  w.id = id_of(number);
  w.created_at.reset();
  return w;
}

/// What was written is there, and in the data from now on.
result<void> remember(bench_run& run, std::string_view workload,
                      const std::vector<std::size_t>& written) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto added = add_row(run.data, written[i]);
    auto read = run.world->get(id_of(added));
    if (!read) return std::unexpected(read.error());
    if (std::get<std::string>(read->version->data.at("statement")) != run.data.texts[added])
      return std::unexpected(wrong(workload, i, "the engine", {added}, {}));
  }
  run.nearest.clear();
  return {};
}

/// Threads that each write as fast as they are answered, until the time is over. Numbers of
/// memories are drawn from one counter, so that what was written is a range of rows. Returns the
/// time taken.
double write_at_once(bench_run& run, double seconds, std::vector<writer>& writers) {
  const auto& d = run.data;
  const std::size_t first = d.rows.size();
  std::atomic<std::size_t> next = 0;
  const auto begin = instant::now();
  const auto write = [&](writer& by) {
    while (microseconds_since(begin) < seconds * 1e6) {
      const std::size_t number = next.fetch_add(1);
      auto request = memory_like(d, number % run.options.size, first + number);
      const auto start = instant::now();
      auto applied = run.world->apply(std::move(request));
      by.taken.us.push_back(microseconds_since(start));
      if (!applied) {
        by.outcome = std::unexpected(applied.error());
        return;
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(writers.size());
    for (auto& by : writers) threads.emplace_back([&] { write(by); });
  }
  return microseconds_since(begin);
}

/// Rows that the peer had no turn to write: both worlds hold the same afterwards.
result<void> give_to_peer(bench_run& run, std::size_t count) {
  const auto size = static_cast<std::uint32_t>(run.data.rows.size());
  if (auto begun = run.sqlite->begin(); !begun) return begun;
  for (auto row = size - static_cast<std::uint32_t>(count); row < size; ++row)
    if (auto written = run.sqlite->write(run.data, row); !written) return written;
  return run.sqlite->commit();
}

result<void> by_many(bench_run& run) {
  std::vector<writer> writers(writer_count);
  const double passed = write_at_once(run, run.options.seconds_each, writers);
  samples all;
  for (auto& by : writers) {
    if (!by.outcome) return by.outcome;
    all.us.insert(all.us.end(), by.taken.us.begin(), by.taken.us.end());
  }
  all.right = static_cast<double>(all.us.size());
  std::vector<std::size_t> written;
  written.reserve(all.us.size());
  for (std::size_t n = 0; n < all.us.size(); ++n) written.push_back(n % run.options.size);
  if (auto there = remember(run, "64 × W2", written); !there) return there;
  if (auto given = give_to_peer(run, written.size()); !given) return given;
  measured m{.name = "64 × W2", .what = "a durable memory, by 64 threads"};
  m.size = run.options.size;
  m.engine = report_of({}, all);
  m.engine.per_second = 1e6 * static_cast<double>(all.us.size()) / passed;
  run.done.push_back(std::move(m));
  return {};
}

result<void> relaxed(bench_run& run) {
  auto& d = run.data;
  contest c{.about = {.name = "W2 relaxed",
                      .what = "a memory, not synced",
                      .floor = {.name = "a write of the journal's bytes"},
                      .peer = {.name = "SQLite, synchronous=NORMAL"}},
            .warm = 0,
            .block = 1,
            .most = 1000};
  synced_file file(run.options.directory + "/relaxed.bin");
  journal_growth growth(*run.world);
  if (auto now = growth.take(); !now) return propagate(now);
  std::size_t bytes = 0;
  c.engine = single_turn(
      [&](std::size_t i) { return memory_like(d, i % run.options.size, d.rows.size()); },
      [&](std::size_t, write_request w) {
        return run.world->apply(std::move(w), durability::relaxed);
      },
      [&](std::size_t i, const mutation_result&) -> result<double> {
        if (auto there = remember(run, "W2 relaxed", {i % run.options.size}); !there)
          return std::unexpected(there.error());
        const auto grown = growth.take();
        if (!grown) return std::unexpected(grown.error());
        bytes = *grown;
        if (auto ready = file.write_ahead(bytes); !ready) return std::unexpected(ready.error());
        return 1.0;
      });
  c.floor = timed_turn(
      [&](std::size_t) -> result<rows> {
        if (auto written = file.write(bytes); !written) return std::unexpected(written.error());
        return rows{};
      },
      [](std::size_t, const rows&) -> result<double> { return 1.0; });
  if (auto set = run.sqlite->sync_commits(false); !set) return set;
  c.peer = timed_turn(
      [&](std::size_t) -> result<rows> {
        const auto row = static_cast<std::uint32_t>(d.rows.size() - 1);
        if (auto ok = run.sqlite->begin(); !ok) return std::unexpected(ok.error());
        if (auto ok = run.sqlite->write(d, row); !ok) return std::unexpected(ok.error());
        if (auto ok = run.sqlite->commit(); !ok) return std::unexpected(ok.error());
        return rows{row};
      },
      [](std::size_t, const rows&) -> result<double> { return 1.0; });
  if (auto held = hold(run, c); !held) return held;
  return run.sqlite->sync_commits(true);
}

/// Durable writes while one checkpoint after another is made.
result<void> beside_checkpoints(bench_run& run) {
  const auto& d = run.data;
  std::atomic<bool> stop = false;
  result<void> checkpointed;
  std::size_t checkpoints = 0;
  samples taken;
  std::vector<std::size_t> written;
  result<void> outcome;
  {
    const std::jthread checkpointer([&] {
      do {
        auto made = run.world->checkpoint();
        if (!made) checkpointed = propagate(made);
        ++checkpoints;
      } while (checkpointed && !stop);
    });
    const std::size_t first = d.rows.size();
    const auto begin = instant::now();
    while (microseconds_since(begin) < run.options.seconds_each * 1e6 && outcome) {
      const std::size_t like = written.size() % run.options.size;
      auto request = memory_like(d, like, first + written.size());
      const auto start = instant::now();
      auto applied = run.world->apply(std::move(request));
      taken.us.push_back(microseconds_since(start));
      if (!applied) outcome = propagate(applied);
      written.push_back(like);
    }
    stop = true;
  }
  if (!outcome) return outcome;
  if (!checkpointed) return checkpointed;
  if (auto there = remember(run, "W2 checkpoint", written); !there) return there;
  if (auto given = give_to_peer(run, written.size()); !given) return given;
  taken.right = static_cast<double>(taken.us.size());
  measured m{.name = "W2 checkpoint", .what = "a durable memory, while checkpoints are made"};
  m.size = run.options.size;
  m.engine = report_of({}, taken);
  m.facts = {{"checkpoints", static_cast<double>(checkpoints)}};
  run.done.push_back(std::move(m));
  return {};
}

} // namespace

result<void> other_writes(bench_run& run) {
  if (auto ran = relaxed(run); !ran) return ran;
  if (auto ran = by_many(run); !ran) return ran;
  return beside_checkpoints(run);
}

} // namespace mneme::workloads
