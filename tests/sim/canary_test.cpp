// Proof that the oracles see: each planted bug is found within few seeds, by the oracle that is
// there for it, and again when the seed is run again.
// Of: sim/simulator.cpp, sim/check_recovery.cpp, sim/check_reply.cpp, sim/check_state.cpp
#include <catch2/catch.hpp>

#include <set>

#include "sim/simulation.hpp"
#include "sim/simulator.hpp"

using namespace mneme;
using namespace mneme::sim;

namespace {

/// The oracles that fail in the first `seeds` runs, and how many runs fail.
struct found_by {
  std::set<std::string> oracles;
  int failed = 0;
};
found_by find_bug(const planted_bugs& bugs, std::uint64_t seeds) {
  found_by found;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    run_options run;
    run.seed = seed;
    run.steps = 2000;
    run.bugs = bugs;
    const auto report = simulate(run);
    if (!report.failure) continue;
    ++found.failed;
    found.oracles.insert(report.failure->oracle);
    const auto again = simulate(run);
    REQUIRE(again.failure);
    CHECK(again.failed_at_step == report.failed_at_step);
    CHECK(again.failure->text == report.failure->text);
  }
  return found;
}

} // namespace

TEST_CASE("an answer before it is published is found") {
  const auto found = find_bug({.reply_before_publish = true}, 5);
  CHECK(found.failed >= 4);
  CHECK(found.oracles.contains("visible"));
}

TEST_CASE("a lost reverse edge is found") {
  const auto found = find_bug({.lose_reverse_edge = true}, 5);
  CHECK(found.failed >= 4);
}

TEST_CASE("a skipped fsync is found") {
  const auto found = find_bug({.skip_fsync = true}, 10);
  CHECK(found.failed >= 4);
  CHECK(found.oracles.contains("lost write"));
}

TEST_CASE("the command's exit codes") {
  CHECK(run_simulator({.seed = 1, .steps = 300, .twice = true}) == sim_clean);
  CHECK(run_simulator({.seed = 1, .steps = 1000, .canary = "skip_fsync"}) == sim_clean);
  CHECK(run_simulator({.seed = 1, .steps = 100, .canary = "no_such_bug"}) == sim_bad_usage);
  CHECK(run_simulator({.seed = 1, .steps = 100, .plan = "/no/such/file"}) == sim_bad_usage);
}
