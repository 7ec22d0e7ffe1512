/// W5: the best of a tag, type and span of time. W8: the same, and what is found is touched.

#include <unordered_map>

#include "bench/workloads/bench_run.hpp"

namespace mneme::workloads {

result<void> salient(bench_run& run) {
  const auto& d = run.data;
  const auto truth = [&d](std::size_t q) {
    return most_salient(d, in_tag_type_time(d, d.queries[q]), 20);
  };
  const auto score = [&d](std::size_t, std::uint32_t i) { return salience_of(d.rows[i]); };
  std::vector<find_request> requests;
  requests.reserve(d.queries.size());
  for (const auto& q : d.queries) requests.push_back(salient_request(q));
  contest c{.about = {.name = "W5",
                      .what = "tag, type and time by salience, 20",
                      .floor = {.name = "posting list, exp() of all"},
                      .peer = {.name = "SQLite"}}};
  c.engine = timed_turn([&](std::size_t q) { return run.world->find(requests[q]); },
                        judge{"W5", "the engine", truth, score});
  c.floor = floor_turn(truth);
  c.peer = timed_turn([&](std::size_t q) { return run.sqlite->salient(d.queries[q]); },
                      judge{"W5", "SQLite", truth, score});
  return hold(run, c);
}

result<void> salient_touched(bench_run& run) {
  auto& d = run.data;
  synced_file file(run.options.directory + "/touched.bin");
  journal_growth growth(*run.world);
  if (auto now = growth.take(); !now) return propagate(now);
  std::size_t bytes = 0;
  double bytes_in_all = 0;
  // As it was before the engine's touch: the peer answers after that.
  rows truth;
  std::unordered_map<std::uint32_t, double> scores;
  const auto score = [&](std::size_t, std::uint32_t i) {
    const auto known = scores.find(i);
    return known == scores.end() ? -1.0 : known->second;
  };
  const auto truth_of = [&truth](std::size_t) { return truth; };
  contest c{.about = {.name = "W8",
                      .what = "W5, and a durable touch of what is found",
                      .floor = {.name = "W5's floor, fdatasync of the journal's bytes"},
                      .peer = {.name = "SQLite"}},
            .warm = 0,
            .block = 1,
            .most = 300};
  c.engine = single_turn(
      [&](std::size_t q) {
        truth = most_salient(d, in_tag_type_time(d, d.queries[q]), 20);
        scores.clear();
        for (const auto i : truth) scores[i] = salience_of(d.rows[i]);
        auto f = salient_request(d.queries[q]);
        f.late_binding = true;
        return f;
      },
      [&](std::size_t, find_request f) { return run.world->find(std::move(f)); },
      [&, judged = judge{"W8", "the engine", truth_of, score}](
          std::size_t q, const find_result& found) -> result<double> {
        for (const auto i : rows_of(found)) touch(d.rows[i]);
        const auto grown = growth.take();
        if (!grown) return std::unexpected(grown.error());
        bytes = *grown;
        bytes_in_all += static_cast<double>(bytes);
        if (auto ready = file.write_ahead(bytes); !ready) return std::unexpected(ready.error());
        return judged(q, found);
      });
  c.floor = timed_turn(
      [&](std::size_t q) -> result<rows> {
        auto best = most_salient(d, in_tag_type_time(d, d.queries[q]), 20);
        if (bytes == 0) return best;
        if (auto synced = file.append(bytes); !synced) return std::unexpected(synced.error());
        return best;
      },
      [](std::size_t, const rows&) -> result<double> { return 1.0; });
  c.peer = timed_turn(
      [&](std::size_t q) -> result<rows> {
        if (auto begun = run.sqlite->begin(); !begun) return std::unexpected(begun.error());
        auto found = run.sqlite->salient(d.queries[q]);
        if (!found) return found;
        if (auto ok = run.sqlite->touch(*found); !ok) return std::unexpected(ok.error());
        if (auto ok = run.sqlite->commit(); !ok) return std::unexpected(ok.error());
        return found;
      },
      judge{"W8", "SQLite", truth_of, score});
  if (auto held = hold(run, c); !held) return held;
  auto& m = run.done.back();
  m.facts = {{"each_bytes", bytes_in_all / static_cast<double>(m.engine.repetitions)}};
  return {};
}

} // namespace mneme::workloads
