// Many agents in one world: what one agent asks costs what that agent can see, whoever else lives
// there. The floor reads the agent's own rows from a plain list.
#include <map>
#include <memory>

#include <benchmark/benchmark.h>

#include "bench/dataset.hpp"
#include "mneme/tick.hpp"

namespace mneme::bench {

namespace {

constexpr std::size_t memories_each = 100;

std::string agent(std::size_t n) {
  return "agent " + std::to_string(n);
}

/// Private notes and a goal for each agent, and twenty events that everybody sees.
mutation memory_of(std::size_t n, std::size_t agents) {
  write_request r;
  r.actor = agent(n % agents);
  r.type = memory_type::note;
  r.data["statement"] = "note " + std::to_string(n) + " of " + r.actor;
  r.importance = static_cast<std::int64_t>(n % 11);
  if (n < agents) {
    r.type = memory_type::goal;
    r.data["status"] = std::string("active");
  } else if (n < agents + 20) {
    r.visibility = visibility::actor_public;
  }
  return r;
}

engine& world_of_agents(std::size_t agents, const std::string& embedder = "none") {
  static std::map<std::pair<std::size_t, std::string>, std::unique_ptr<engine>> made;
  auto& e = made[{agents, embedder}];
  if (e != nullptr) return *e;
  engine_options o;
  o.seed = 1;
  o.embedder_spec = embedder;
  auto opened = open_in_memory(o);
  if (!opened) std::abort();
  e = std::make_unique<engine>(std::move(*opened));
  std::vector<mutation> items;
  for (std::size_t n = 0; n < agents * memories_each; ++n) {
    items.push_back(memory_of(n, agents));
    if (items.size() < 5000 && n + 1 < agents * memories_each) continue;
    if (!e->write_batch(std::move(items))) std::abort();
    items.clear();
  }
  return *e;
}

find_request newest_notes(std::size_t n) {
  find_request r;
  r.types = {memory_type::note};
  r.limit = 20;
  r.actor = agent(n);
  return r;
}

void find_of_an_agent(benchmark::State& state) {
  const auto agents = static_cast<std::size_t>(state.range(0));
  engine& e = world_of_agents(agents);
  std::size_t n = 0;
  std::int64_t scanned = 0;
  for (auto _ : state) {
    auto found = e.find(newest_notes(n++ % agents));
    if (!found) return state.SkipWithError(found.error().message.c_str());
    scanned = found->candidates_scanned;
  }
  state.counters["scanned"] = static_cast<double>(scanned);
}

/// Asks by words and meaning, among memories that nearly all have the words.
void search_of_an_agent(benchmark::State& state) {
  const auto agents = static_cast<std::size_t>(state.range(0));
  engine& e = world_of_agents(agents, "hash:384");
  std::size_t n = 0;
  std::int64_t searched = 0;
  for (auto _ : state) {
    search_request r;
    r.actor = agent(n++ % agents);
    r.query = "a note of " + *r.actor;
    auto found = e.search(r);
    if (!found) return state.SkipWithError(found.error().message.c_str());
    searched = found->coverage.memory.searched;
  }
  state.counters["searched"] = static_cast<double>(searched);
}

void context_of_an_agent(benchmark::State& state) {
  const auto agents = static_cast<std::size_t>(state.range(0));
  engine& e = world_of_agents(agents);
  std::size_t n = 0;
  for (auto _ : state) {
    context_request r;
    r.actor = agent(n++ % agents);
    auto made = e.context(r);
    if (!made) return state.SkipWithError(made.error().message.c_str());
    benchmark::DoNotOptimize(made->tokens);
  }
}

/// Each agent asks for its context and its notes, and writes one.
void tick_of_all(benchmark::State& state) {
  const auto agents = static_cast<std::size_t>(state.range(0));
  engine& e = world_of_agents(agents);
  tick_request t;
  for (std::size_t n = 0; n < agents; ++n) {
    t.reads.emplace_back(context_request{.actor = agent(n)});
    t.reads.emplace_back(newest_notes(n));
    t.writes.emplace_back(
        scoped_mutation{.request = memory_of(n + agents * memories_each, agents)});
  }
  for (auto _ : state) {
    auto done = e.tick(t);
    if (!done) return state.SkipWithError(done.error().message.c_str());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void floor_own_rows(benchmark::State& state) {
  const auto agents = static_cast<std::size_t>(state.range(0));
  std::map<std::string, std::vector<std::uint32_t>> own;
  for (std::uint32_t n = 0; n < agents * memories_each; ++n) own[agent(n % agents)].push_back(n);
  std::size_t n = 0;
  for (auto _ : state) {
    std::vector<std::uint32_t> rows = own[agent(n++ % agents)];
    benchmark::DoNotOptimize(rows.data());
  }
}

BENCHMARK(find_of_an_agent)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);
BENCHMARK(floor_own_rows)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);
BENCHMARK(search_of_an_agent)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);
BENCHMARK(context_of_an_agent)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);
BENCHMARK(tick_of_all)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

} // namespace

} // namespace mneme::bench
