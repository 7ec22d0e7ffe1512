/// Retrieve: the bundles of the topics nearest to a vector, through all stages.

#include "bench/workloads/bench_run.hpp"

namespace mneme::workloads {

namespace {

constexpr std::size_t bundles = 8;

/// A tenth of the memories' number; the first vectors of the data are theirs.
std::size_t topic_count(const bench_run& run) {
  return std::min<std::size_t>(20'000, std::max<std::size_t>(20, run.options.size / 10));
}

result<void> load_topics(engine& world, const dataset& d, std::size_t count) {
  constexpr std::size_t batch = 100;
  std::vector<mutation> items;
  for (std::size_t t = 0; t < count; ++t) {
    items.emplace_back(topic_request(d, t));
    if (items.size() < batch && t + 1 < count) continue;
    auto written = world.write_batch(std::exchange(items, {}), durability::relaxed);
    if (!written) return std::unexpected(written.error());
  }
  return {};
}

bool has_its_fields(const dataset& d, std::size_t topic, const topic_bundle& found) {
  if (!found.fields || found.fields->size() != topic_fields || !found.neighbours) return false;
  for (std::size_t k = 0; k < topic_fields; ++k) {
    const auto& current = (*found.fields)[k].current;
    if (!current || current->field != topic_field_name(k)
        || current->value != json_value{topic_field_text(d, topic, k)})
      return false;
  }
  return true;
}

} // namespace

result<void> topics_retrieved(bench_run& run) {
  const auto& d = run.data;
  const std::size_t count = topic_count(run);
  auto opened = engine::open(bench_options(run.options.directory + "/topics"));
  if (!opened) return propagate(opened);
  engine world = std::move(*opened);
  const auto begin = instant::now();
  if (auto loaded = load_topics(world, d, count); !loaded) return loaded;
  const double load_us = microseconds_since(begin);
  rows all;
  for (std::uint32_t t = 0; t < count; ++t) all.push_back(t);
  const auto truth = [&](std::size_t q) { return nearest_of(d, d.query_vector(q), all, bundles); };
  std::vector<retrieve_request> requests;
  requests.reserve(query_count);
  for (std::size_t q = 0; q < query_count; ++q) {
    requests.push_back(bundles_request(d, q, bundles));
  }
  contest c{.about = {.name = "retrieve",
                      .what = "all stages, 8 topics with fields and neighbours",
                      .floor = {.name = "exact distances of the topics"}}};
  const judge judged{"retrieve", "the engine", truth, nearness(d)};
  c.engine = timed_turn([&](std::size_t q) { return world.retrieve(requests[q]); },
                        [&](std::size_t q, const retrieve_result& found) -> result<double> {
                          rows answer;
                          for (const auto& bundle : found.candidates) {
                            const auto topic = row_of(bundle.topic_id);
                            if (has_its_fields(d, topic, bundle))
                              answer.push_back(static_cast<std::uint32_t>(topic));
                          }
                          // So many topics that a graph may propose them: it is worth its recall.
                          constexpr std::size_t exact_up_to = 10'000;
                          if (count > exact_up_to && answer.size() == bundles)
                            return recall_of(truth(q), answer);
                          return judged(q, answer);
                        });
  c.floor = floor_turn(truth);
  if (auto held = hold(run, c); !held) return held;
  run.done.back().facts = {{"topics", static_cast<double>(count)}, {"load_us", load_us}};
  return world.close();
}

} // namespace mneme::workloads
