// Whole runs: fixed seeds are clean, the same seed is the same run, and a shorter run is the
// beginning of a longer one.
// Of: sim/check_branches.cpp, sim/check_broken_branches.cpp, sim/check_trims.cpp
// Of: sim/check_doors.cpp, sim/check_find.cpp
// Of: sim/check_journal.cpp, sim/check_read.cpp, sim/check_recovery.cpp, sim/check_reply.cpp
// Of: sim/check_state.cpp, sim/check_tick.cpp, sim/check_write.cpp, sim/client.cpp
// Of: sim/arm_session.cpp, sim/session.cpp, sim/late_embedder.cpp, sim/machine.cpp
// Of: sim/model_aliases.cpp, sim/model_context.cpp
// Of: sim/model_erasure.cpp, sim/model_lineage.cpp, sim/model_agents.cpp, sim/model_chroma.cpp
// Of: sim/model_physics.cpp, sim/model_retrieve.cpp, sim/model_search.cpp, sim/model_signals.cpp
// Of: sim/model_topics.cpp, sim/operation.cpp, sim/outcomes.cpp, sim/own_profile.cpp
// Of: sim/profile.cpp, sim/reduce.cpp, sim/root_history.cpp, sim/searched_state.cpp
// Of: sim/workload_doors.cpp, sim/workload_find.cpp, sim/workload_topics.cpp
// Of: sim/workload_write.cpp, sim/feed_reader.cpp
#include <catch2/catch.hpp>

#include "sim/reduce.hpp"
#include "sim/simulation.hpp"
#include "tests/sanitized.hpp"

using namespace mneme;
using namespace mneme::sim;
using mneme::testing::is_sanitized;

namespace {

run_options of_seed(std::uint64_t seed, std::uint64_t steps) {
  run_options run;
  run.seed = seed;
  run.steps = steps;
  return run;
}

std::string verdict(const run_report& r) {
  if (!r.failure) return "clean";
  return r.failure->oracle + " at step " + std::to_string(r.failed_at_step) + ": "
         + r.failure->text;
}

} // namespace

TEST_CASE("fixed seeds are clean") {
  run_report sum;
  for (std::uint64_t seed = 1; seed <= (is_sanitized ? 4 : 24); ++seed) {
    const auto report = simulate(of_seed(seed, 4000));
    INFO("seed " << seed);
    CHECK(verdict(report) == "clean");
    CHECK(report.last.value > 0);
    sum.answers += report.answers;
    sum.crashes += report.crashes;
    sum.lost_entries += report.lost_entries;
  }
  // The runs are worth something only if they do something.
  CHECK(sum.answers > (is_sanitized ? 800 : 5000));
  CHECK(sum.crashes > (is_sanitized ? 8 : 50));
  CHECK(sum.lost_entries > 0);
}

TEST_CASE(
    "a touch of rows that a profile took out of the answer may have any order that explains it") {
  CHECK(verdict(simulate(of_seed(743821715, 6145))) == "clean");
}

TEST_CASE("a trim that the disk had no room for is finished by the opening behind a clean close") {
  CHECK(verdict(simulate(of_seed(4052920375, 20'000))) == "clean");
}

TEST_CASE("a segment that was begun while an image was written may be lost in a crash") {
  CHECK(verdict(simulate(of_seed(411, 8000))) == "clean");
}

TEST_CASE("the same seed gives the same steps, journal and root") {
  const std::vector<std::uint64_t> all{3, 11, 42};
  for (const std::uint64_t seed : is_sanitized ? std::vector{all.back()} : all) {
    const auto first = simulate(of_seed(seed, 3000));
    const auto second = simulate(of_seed(seed, 3000));
    INFO("seed " << seed);
    CHECK(verdict(first) == "clean");
    CHECK(first.log_digest == second.log_digest);
    CHECK(first.journal_digest == second.journal_digest);
    CHECK(first.root == second.root);
    CHECK(first.plan == second.plan);
  }
  CHECK(simulate(of_seed(3, 500)).log_digest != simulate(of_seed(4, 500)).log_digest);
}

TEST_CASE("a shorter run is the beginning of a longer one") {
  auto run = of_seed(5, 800);
  run.keep_log = true;
  const auto longer = simulate(run);
  run.steps = 300;
  const auto shorter = simulate(run);
  std::size_t common = 0;
  for (const auto& line : shorter.log) {
    if (std::stoull(line) >= 300) break;
    REQUIRE(line == longer.log[common]);
    ++common;
  }
  CHECK(common > 200);
}

TEST_CASE("a plan without operations does nothing, and is clean") {
  auto run = of_seed(6, 300);
  run.only.emplace();
  const auto report = simulate(run);
  CHECK(verdict(report) == "clean");
  CHECK(report.operations == 0);
  CHECK(report.last == seq_no{0});
}

TEST_CASE("a failed run is reduced to a plan that fails in the same way") {
  run_options run;
  run.bugs.lose_reverse_edge = true;
  run.steps = 1500;
  run_report failed;
  for (run.seed = 1; run.seed <= 20 && !failed.failure; ++run.seed) failed = simulate(run);
  --run.seed;
  REQUIRE(failed.failure);
  const auto plan = reduce(run, failed);
  CHECK(!plan.empty());
  CHECK(plan.size() < failed.plan.size());
  run.only.emplace();
  for (const auto& line : plan) run.only->insert(line.substr(0, line.find(':')));
  const auto again = simulate(run);
  REQUIRE(again.failure);
  CHECK(again.failure->oracle == failed.failure->oracle);
  CHECK(again.plan == plan);
}
