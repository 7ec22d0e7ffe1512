#pragma once
/// One run of the benchmark: the data, the world and the peer that hold it, and what was measured.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/workloads/contest.hpp"
#include "bench/workloads/dataset.hpp"
#include "bench/workloads/fresh_process.hpp"
#include "bench/workloads/hnsw_floor.hpp"
#include "bench/workloads/report.hpp"
#include "bench/workloads/requests.hpp"
#include "bench/workloads/run.hpp"
#include "bench/workloads/sqlite_peer.hpp"
#include "bench/workloads/synced_file.hpp"
#include "mneme/engine.hpp"
#include "state/open_world.hpp"

namespace mneme::workloads {

struct bench_run {
  run_options options;
  dataset data;
  std::unique_ptr<fresh_process> processes{};
  std::optional<engine> world{};
  std::unique_ptr<sqlite_peer> sqlite{};
  std::unique_ptr<hnsw_floor> graph{};
  std::size_t graph_ef = 0;
  double graph_recall = 0;
  std::unordered_map<std::size_t, rows> nearest{}; ///< of all rows, by query
  std::vector<measured> done{};

  [[nodiscard]] std::string world_directory() const { return options.directory + "/world"; }
  [[nodiscard]] std::string sqlite_file() const { return options.directory + "/sqlite/bench.db"; }
};

/// What the engine is opened with: the clock stands at query_time.
engine_options bench_options(std::string directory);

/// The world that was loaded, and its peer. Nothing where they are closed.
result<void> close_worlds(bench_run& run);
result<void> reopen_worlds(bench_run& run);

/// Measures and keeps the outcome.
result<void> hold(bench_run& run, const contest& c);

rows rows_of(const find_result& found);

/// hnswlib over the run's vectors, at the ef that reaches a recall of .95.
hnsw_floor& tuned_graph(bench_run& run);
const rows& nearest_of_query(bench_run& run, std::size_t q);

/// Judges a side's rows: the same order as the truth, or the run ends. `truth(i)` and
/// `score(i, row)` are of query i.
using truth_function = std::function<rows(std::size_t)>;
using row_score = std::function<double(std::size_t, std::uint32_t)>;
struct judge {
  std::string workload;
  std::string who;
  truth_function truth;
  row_score score;

  result<double> operator()(std::size_t i, const rows& answer) const;
  /// An answer that calls itself approximate is worth its recall.
  result<double> operator()(std::size_t i, const find_result& found) const;
};
/// Scores of near queries: the cosine with the query's vector, exactly.
row_score nearness(const dataset& d);

/// Bytes that the journal has grown by since it was asked last.
class journal_growth {
public:
  explicit journal_growth(engine& world) : world_(world) {}
  result<std::size_t> take();

private:
  engine& world_;
  std::uint64_t last_ = 0;
};

// The workloads, in the order of their run.
result<void> load(bench_run& run);
result<void> near(bench_run& run);
result<void> near_in_common_tag(bench_run& run);
result<void> near_in_rare_tag(bench_run& run);
result<void> salient(bench_run& run);
result<void> three_hops(bench_run& run);
result<void> near_in_reach(bench_run& run);
result<void> own_memories(bench_run& run);
result<void> word_search(bench_run& run);
result<void> two_clients(bench_run& run);
result<void> in_lists(bench_run& run);
result<void> room_taken(bench_run& run);
result<void> reopened(bench_run& run);
result<void> by_actor(bench_run& run);
result<void> salient_touched(bench_run& run);
result<void> durable_write(bench_run& run);
result<void> other_writes(bench_run& run);
result<void> ticks(bench_run& run);
result<void> topics_retrieved(bench_run& run);
result<void> colours_found(bench_run& run);
result<void> many_updates(bench_run& run);

// What some do in processes of their own, by number.
enum class errand : std::uint8_t { open_world, open_sqlite, update_world, update_few_retained };
errand_answer open_world_errand(const bench_run& run);
errand_answer open_sqlite_errand(const bench_run& run);
errand_answer update_errand(const bench_run& run);
errand_answer update_few_retained_errand(const bench_run& run);

} // namespace mneme::workloads
