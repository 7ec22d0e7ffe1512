// Roots per batch: the ledger over 100,000 leaves, beside the plain SHA-256s that no
// tree of this shape can do without.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/dataset.hpp"
#include "journal/leaf_table.hpp"
#include "journal/ledger.hpp"
#include "journal/tree_shape.hpp"
#include "messages/hash.hpp"

namespace mneme::bench {

namespace {

using nanoseconds = std::chrono::nanoseconds;

/// Time that this thread computed: what else the machine does is left out.
nanoseconds cpu_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + nanoseconds(t.tv_nsec);
}

constexpr std::size_t leaf_total = 100'000;

digest digest_of(std::uint64_t number) {
  return sha256_of("leaf " + std::to_string(number));
}

/// A ledger and the leaves that it reads, as a world has them.
class stored_ledger {
public:
  explicit stored_ledger(std::uint64_t leaf_cache_bytes) {
    ledger_.emplace(world_id{}, sources(), leaf_cache_bytes);
    ledger_->retain(0);
    for (std::size_t first = 0; first < leaf_total; first += 10'000) {
      std::vector<state_leaf> leaves;
      for (std::size_t i = first; i < first + 10'000; ++i) {
        paths_.push_back(digest_of(i));
        leaves.push_back({state_namespace::memories, paths_.back(), digest_of(~i)});
      }
      commit({entry_of(std::move(leaves))});
    }
    std::ranges::sort(paths_);
  }

  [[nodiscard]] const std::vector<digest>& paths() const { return paths_; }

  /// The next entry.
  entry entry_of(std::vector<state_leaf> leaves) {
    entry e;
    e.header = {.seq = {++made_},
                .kind = entry_kind::write,
                .created_at = {first_day.ns + static_cast<std::int64_t>(made_)},
                .created_by = "bench",
                .leaves = std::move(leaves),
                .payload_hash = digest_of(made_)};
    e.header_bytes = encode(e.header);
    return e;
  }

  /// Applies entries, also to the table of leaves; what it took.
  nanoseconds commit(const std::vector<entry>& entries) {
    const auto start = cpu_time();
    if (!ledger_->apply(entries)) std::abort();
    leaves_.apply(entries);
    return cpu_time() - start;
  }

private:
  ledger_sources sources() {
    return {.leaves = [this](state_namespace ns, const digest& first, const digest& last)
                -> result<std::vector<tree_leaf>> { return leaves_.read(ns, first, last); },
            .headers = [] { return header_reader{}; }};
  }

  leaf_table leaves_;
  std::optional<ledger> ledger_;
  std::vector<digest> paths_;
  std::uint64_t made_ = 0;
};

/// The leaf and node hashes that change with the leaves at `changed`, added to or among `paths`;
/// both ascend.
std::size_t hashes_of_change(const std::vector<digest>& paths, const std::vector<digest>& changed) {
  std::size_t hashes = 0;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const digest& path = changed[i];
    const auto before = std::ranges::lower_bound(paths, path);
    const auto after = before != paths.end() && *before == path ? before + 1 : before;
    std::size_t depth = 0;
    const auto beside = [&](const digest& other) {
      depth = std::max(depth, shared_path_bits(other, path) + 1);
    };
    if (before != paths.begin()) beside(*(before - 1));
    if (after != paths.end()) beside(*after);
    if (i > 0) beside(changed[i - 1]);
    if (i + 1 < changed.size()) beside(changed[i + 1]);
    hashes += 1 + depth - (i == 0 ? 0 : shared_path_bits(changed[i - 1], path) + 1);
  }
  return hashes;
}

/// So many SHA-256 of a node's 65 bytes, one after the other.
nanoseconds time_of_hashes(std::size_t count) {
  std::string message(65, 'x');
  const auto start = cpu_time();
  for (std::size_t i = 0; i < count; ++i) {
    const digest hash = sha256_of(message);
    std::ranges::copy(hash.raw(), message.begin() + 1);
  }
  benchmark::DoNotOptimize(message);
  return cpu_time() - start;
}

/// Entries of one leaf each. `fresh`: leaves that were not there, deleted again outside of the
/// time; else new values of leaves that are there.
void apply_entries(benchmark::State& state, stored_ledger& world, bool fresh) {
  const auto batch = static_cast<std::size_t>(state.range(0));
  generator g(7);
  nanoseconds floor{};
  nanoseconds all{};
  std::size_t leaves = 0;
  std::size_t hashes = 0;
  for (auto _ : state) {
    std::vector<digest> paths;
    std::vector<entry> entries;
    for (std::size_t i = 0; i < batch; ++i) {
      paths.push_back(fresh ? digest_of(g.next()) : world.paths()[g.below(leaf_total)]);
      entries.push_back(
          world.entry_of({{state_namespace::memories, paths.back(), digest_of(g.next())}}));
    }
    const auto took = world.commit(entries);
    if (fresh) {
      std::vector<state_leaf> gone;
      gone.reserve(paths.size());
      for (const auto& path : paths) gone.push_back({state_namespace::memories, path, {}});
      world.commit({world.entry_of(std::move(gone))});
    }
    std::ranges::sort(paths);
    const auto twice = std::ranges::unique(paths);
    paths.erase(twice.begin(), twice.end());
    const std::size_t needed = hashes_of_change(world.paths(), paths);
    floor += time_of_hashes(needed);
    all += took;
    leaves += batch;
    hashes += needed;
    state.SetIterationTime(std::chrono::duration<double>(took).count());
  }
  const auto us = [](nanoseconds d) {
    return std::chrono::duration<double, std::micro>(d).count();
  };
  state.counters["us_per_leaf"] = us(all) / static_cast<double>(leaves);
  state.counters["hashes_per_leaf"] = static_cast<double>(hashes) / static_cast<double>(leaves);
  state.counters["floor_us_per_leaf"] = us(floor) / static_cast<double>(leaves);
  state.counters["ratio_to_floor"] = us(all) / us(floor);
}

stored_ledger& kept_world() {
  static stored_ledger world(default_leaf_cache_bytes);
  return world;
}

void ledger_changes(benchmark::State& state) {
  apply_entries(state, kept_world(), false);
}
void ledger_additions(benchmark::State& state) {
  apply_entries(state, kept_world(), true);
}
/// All leaves are read from their table.
void ledger_changes_unkept(benchmark::State& state) {
  static stored_ledger world(0);
  apply_entries(state, world, false);
}

void batches(benchmark::internal::Benchmark* bench) {
  for (const int batch : {1, 4, 64, 1024}) bench->Arg(batch);
  bench->UseManualTime()->Unit(benchmark::kMicrosecond);
}
BENCHMARK(ledger_changes)->Apply(batches);
BENCHMARK(ledger_additions)->Apply(batches);
BENCHMARK(ledger_changes_unkept)->Apply(batches);

} // namespace

} // namespace mneme::bench
