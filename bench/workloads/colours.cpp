/// Chroma: the best memories for a set of hashtags, by nearness in colour, recency and strength.

#include <fmt/format.h>

#include "bench/workloads/bench_run.hpp"
#include "bench/workloads/hashtags.hpp"
#include "bench/workloads/random.hpp"
#include "index/colour/gravity.hpp"
#include "index/colour/mnemosyne.hpp"

namespace mneme::workloads {

namespace {

/// The points of all memories, and what is right to find among them.
struct colours {
  std::vector<lab_point> points{};
  std::vector<std::vector<std::string>> queries{};
  std::vector<lab_point> query_points{};

  [[nodiscard]] double score(const dataset& d, std::size_t q, std::uint32_t i) const {
    constexpr auto mode = memory_mode::adaptive;
    return score_signals(fresh_signals(d.rows[i].created_at), mode,
                         distance(query_points[q], points[i]), query_time, physics_of(mode).weights)
        .score;
  }
  [[nodiscard]] rows best(const dataset& d, std::size_t q, std::size_t k) const {
    std::vector<std::pair<double, std::uint32_t>> scored;
    scored.reserve(points.size());
    for (std::uint32_t i = 0; i < points.size(); ++i) scored.emplace_back(-score(d, q, i), i);
    const auto count = static_cast<std::ptrdiff_t>(std::min(k, scored.size()));
    std::partial_sort(scored.begin(), scored.begin() + count, scored.end());
    rows found;
    for (auto it = scored.begin(); it != scored.begin() + count; ++it) found.push_back(it->second);
    return found;
  }
};

result<colours> load_colours(engine& world, const dataset& d, std::size_t count) {
  if (auto assigned = world.write_batch(hashtag_assignments(), durability::relaxed); !assigned)
    return propagate(assigned);
  constexpr std::size_t batch = 256;
  colours made;
  generator g(11);
  std::vector<mutation> items;
  for (std::size_t i = 0; i < count; ++i) {
    const auto anchors = draw_anchors(g);
    made.points.push_back(gravity(anchors));
    items.emplace_back(coloured_request(d, i, anchors));
    if (items.size() < batch && i + 1 < count) continue;
    auto written = world.write_batch(std::exchange(items, {}), durability::relaxed);
    if (!written) return std::unexpected(written.error());
  }
  for (std::size_t q = 0; q < query_count; ++q) {
    const auto anchors = draw_anchors(g);
    made.queries.push_back(hashtags_of(anchors));
    made.query_points.push_back(gravity(anchors));
  }
  return made;
}

result<void> best_of_colour(bench_run& run, engine& world, const colours& made, std::size_t k) {
  const auto& d = run.data;
  const std::string name = fmt::format("chroma {}", k);
  const auto truth = [&, k](std::size_t q) { return made.best(d, q, k); };
  const judge judged{name, "the engine", truth,
                     [&](std::size_t q, std::uint32_t i) { return made.score(d, q, i); }};
  std::vector<chroma_request> requests;
  requests.reserve(query_count);
  for (std::size_t q = 0; q < query_count; ++q) {
    requests.push_back(colour_request(made.queries[q], k));
  }
  contest c{.about = {.name = name,
                      .what = fmt::format("the best {} by colour, recency and strength", k),
                      .floor = {.name = "scores of all"}}};
  c.engine =
      timed_turn([&](std::size_t q) { return world.chroma(requests[q]); },
                 [&](std::size_t q, const chroma_result& found) {
                   rows answer;
                   for (const auto& row : found.rows)
                     answer.push_back(static_cast<std::uint32_t>(row_of(row.memory.head->id)));
                   return judged(q, answer);
                 });
  c.floor = floor_turn(truth);
  return hold(run, c);
}

} // namespace

result<void> colours_found(bench_run& run) {
  auto opened = engine::open(bench_options(run.options.directory + "/colours"));
  if (!opened) return propagate(opened);
  engine world = std::move(*opened);
  const auto begin = instant::now();
  auto made = load_colours(world, run.data, run.options.size);
  if (!made) return propagate(made);
  const double load_us = microseconds_since(begin);
  for (const std::size_t k : {5UL, 50UL}) {
    if (auto found = best_of_colour(run, world, *made, k); !found) return found;
    run.done.back().facts = {{"load_us", load_us}};
  }
  return world.close();
}

} // namespace mneme::workloads
