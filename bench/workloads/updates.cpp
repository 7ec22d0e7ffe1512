/// 100 memories that are changed again and again in one open world, which retains the seqs that it
/// does by default, or 1,000: what stays behind must not grow answers, nor, where it is not
/// retained, memory or checkpoints.

#include <numeric>

#include "bench/workloads/bench_run.hpp"
#include "bench/workloads/measure.hpp"

namespace mneme::workloads {

namespace {

constexpr std::size_t memories = 100;
constexpr std::size_t early_rounds = 10;

/// In rounds in which each memory is updated once.
std::size_t round_count(const bench_run& run) {
  return std::max<std::size_t>(2 * early_rounds, run.options.size / memories);
}

/// What is looked at after some updates, and again after many.
struct updated_state {
  double memory_bytes = 0;
  double near_us = 0;
  double find_us = 0;
  double search_us = 0;
  double checkpoint_us = 0;
};

/// Its numbers, in the order of the errand's answer.
constexpr double updated_state::* state_numbers[] = {
    &updated_state::memory_bytes, &updated_state::near_us, &updated_state::find_us,
    &updated_state::search_us, &updated_state::checkpoint_us};

result<void> update_all(engine& world, const dataset& d, std::size_t round) {
  std::vector<mutation> items;
  for (std::size_t i = 0; i < memories; ++i) {
    auto like = request_of(d, i);
    update_request u;
    u.uri = {like.type, *like.id, 1};
    u.data = std::move(like.data);
    u.data["statement"] = d.texts[(i + round) % d.texts.size()];
    u.actor = like.actor;
    const float* vector = d.vector_of((i + round) % d.rows.size());
    u.vector = std::vector<float>(vector, vector + dimension);
    items.emplace_back(std::move(u));
  }
  auto written = world.write_batch(std::move(items), durability::relaxed);
  if (!written) return std::unexpected(written.error());
  return {};
}

/// Every memory has the text of the round, and is at the version that this makes.
result<void> judge_updates(engine& world, const dataset& d, std::size_t round) {
  for (std::uint32_t i = 0; i < memories; ++i) {
    auto read = world.get(id_of(i));
    if (!read) return propagate(read);
    if (read->head->current_version != round + 2
        || std::get<std::string>(read->version->data.at("statement"))
               != d.texts[(i + round) % d.texts.size()])
      return std::unexpected(wrong("updates", round, "the engine", {i}, {}));
  }
  return {};
}

/// `ask(q)` answers a query of its number.
template <class Ask>
result<double> median_us(const Ask& ask) {
  constexpr std::size_t queries = 100;
  samples taken;
  for (std::size_t q = 0; q < queries; ++q) {
    const auto start = instant::now();
    const auto found = ask(q);
    taken.us.push_back(microseconds_since(start));
    if (!found) return std::unexpected(found.error());
  }
  return percentile(taken.us, 0.5);
}

find_request of_type_request(const dataset& d, std::size_t q) {
  find_request f;
  f.types = {d.queries[q].type};
  f.limit = 20;
  return f;
}

result<updated_state> look(engine& world, const dataset& d, double memory_before) {
  updated_state s;
  s.memory_bytes = resident_bytes() - memory_before;
  auto near = median_us([&](std::size_t q) { return world.find(near_request(d, q)); });
  if (!near) return propagate(near);
  s.near_us = *near;
  auto find = median_us([&](std::size_t q) { return world.find(of_type_request(d, q)); });
  if (!find) return propagate(find);
  s.find_us = *find;
  auto search = median_us([&](std::size_t q) { return world.search(words_request(d.queries[q])); });
  if (!search) return propagate(search);
  s.search_us = *search;
  const auto start = instant::now();
  if (auto made = world.checkpoint(); !made) return propagate(made);
  s.checkpoint_us = microseconds_since(start);
  return s;
}

errand_answer update_and_look(const bench_run& run, engine_options options) {
  const auto& d = run.data;
  const double memory_before = resident_bytes();
  auto world = engine::open(std::move(options));
  if (!world) return propagate(world);
  std::vector<mutation> items;
  items.reserve(memories);
  for (std::size_t i = 0; i < memories; ++i) items.emplace_back(request_of(d, i));
  if (auto written = world->write_batch(std::move(items)); !written) return propagate(written);
  std::vector<double> answer;
  samples taken; // of one update, by batches
  for (std::size_t round = 0; round < round_count(run); ++round) {
    const auto start = instant::now();
    if (auto updated = update_all(*world, d, round); !updated) return propagate(updated);
    taken.us.push_back(microseconds_since(start) / memories);
    if (round + 1 != early_rounds && round + 1 != round_count(run)) continue;
    if (auto right = judge_updates(*world, d, round); !right) return propagate(right);
    auto state = look(*world, d, memory_before);
    if (!state) return propagate(state);
    for (const auto number : state_numbers) answer.push_back((*state).*number);
  }
  answer.push_back(percentile(taken.us, 0.5));
  answer.push_back(percentile(taken.us, 0.99));
  answer.push_back(std::reduce(taken.us.begin(), taken.us.end()) * memories);
  if (auto closed = world->close(); !closed) return propagate(closed);
  return answer;
}

result<void> run_updates(bench_run& run, errand by, const char* name, const char* what) {
  auto numbers = run.processes->run(static_cast<std::size_t>(by));
  if (!numbers) return propagate(numbers);
  const auto& n = *numbers;
  const double few = memories * early_rounds;
  const auto many = static_cast<double>(memories * round_count(run));
  measured m{.name = name, .what = what};
  m.size = run.options.size;
  constexpr std::size_t states = std::size(state_numbers);
  m.engine = {.repetitions = round_count(run),
              .p50_us = n[2 * states],
              .p99_us = n[2 * states + 1],
              .per_second = 1e6 * many / n.back(),
              .right = 1};
  m.facts = {{"updates", many},
             {"memory_of_each_bytes", (n[states] - n[0]) / (many - few)},
             {"near_after_1000_us", n[1]},
             {"near_after_all_us", n[states + 1]},
             {"find_after_1000_us", n[2]},
             {"find_after_all_us", n[states + 2]},
             {"search_after_1000_us", n[3]},
             {"search_after_all_us", n[states + 3]},
             {"checkpoint_after_1000_us", n[4]},
             {"checkpoint_after_all_us", n[states + 4]}};
  run.done.push_back(std::move(m));
  return {};
}

} // namespace

errand_answer update_errand(const bench_run& run) {
  return update_and_look(run, bench_options(run.options.directory + "/updated"));
}

errand_answer update_few_retained_errand(const bench_run& run) {
  engine_options options = bench_options(run.options.directory + "/updated_1000");
  options.retained_seqs = least_retained_seqs;
  return update_and_look(run, std::move(options));
}

result<void> many_updates(bench_run& run) {
  if (auto ran = run_updates(run, errand::update_world, "updates",
                             "an update of one of 100 memories, 100 a batch");
      !ran)
    return ran;
  return run_updates(run, errand::update_few_retained, "updates 1000", "the same, 1,000 retained");
}

} // namespace mneme::workloads
