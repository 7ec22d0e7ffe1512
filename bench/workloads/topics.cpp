/// Retrieve: the bundles of the topics nearest to a vector, through all stages.

#include "bench/workloads/bench_run.hpp"

namespace mneme::workloads {

namespace {

constexpr std::size_t fields_each = 3;
constexpr std::size_t links_each = 2;
constexpr std::size_t bundles = 8;

/// A tenth of the memories' number; the first vectors of the data are theirs.
std::size_t topic_count(const bench_run& run) {
  return std::min<std::size_t>(20'000, std::max<std::size_t>(20, run.options.size / 10));
}

std::string field_name(std::size_t k) {
  return "field" + std::to_string(k);
}
std::string field_text(const dataset& d, std::size_t topic, std::size_t k) {
  return d.texts[topic].substr(40 * k, 40);
}

ingest_request topic_request(const dataset& d, std::size_t t) {
  ingest_request r;
  r.placement = ingest_placement::new_topic;
  r.topic_id = id_of(t);
  r.title = "Topic " + std::to_string(t);
  r.summary = d.texts[t];
  r.vector = std::vector<float>(d.vector_of(t), d.vector_of(t) + dimension);
  for (std::size_t k = 0; k < fields_each; ++k)
    r.fields.push_back({.name = field_name(k),
                        .value = {field_text(d, t, k)},
                        .type = {},
                        .ref_topic_id = {},
                        .salience = {},
                        .valid_from = {},
                        .valid_until = {},
                        .why_changed = {},
                        .impact_expected = {},
                        .operation = {},
                        .provenance = {}});
  for (std::size_t k = 1; k <= links_each && t > k; ++k)
    r.links.push_back({.topic_id = id_of(t * k / (k + 1)), .kind = "next to"});
  return r;
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
  if (!found.fields || found.fields->size() != fields_each || !found.neighbours) return false;
  for (std::size_t k = 0; k < fields_each; ++k) {
    const auto& current = (*found.fields)[k].current;
    if (!current || current->field != field_name(k)
        || current->value != json_value{field_text(d, topic, k)})
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
  for (std::size_t q = 0; q < query_count; ++q) {
    retrieve_request r;
    r.q = "what is known";
    r.vector = query_values(d, q);
    r.top_k = bundles;
    r.touch = false;
    requests.push_back(std::move(r));
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
