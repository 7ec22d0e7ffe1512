#pragma once
/// `mneme sim`: seeded runs of the real actors against a naive model, under faults.

#include <cstdint>
#include <string>

namespace mneme {

struct sim_options {
  std::uint64_t seed = 1;
  std::uint64_t steps = 5000;
  std::size_t engines = 1; ///< 2 to 7: on one log, which they take the lead of from each other
  bool twice = false;      ///< run it twice and compare log, journal bytes and root
  std::string canary{};    ///< plant this bug, and look for a seed that finds it; empty = none
  std::string plan{};      ///< file: issue only the operations and faults that it lists
  std::string save_plan{}; ///< file: write the operations and faults of the run; small if it failed
  bool trace = false;      ///< print every step
};

/// What run_simulator answers: the process's exit code.
enum sim_exit : int {
  sim_clean = 0,
  sim_bad_usage = 2,     ///< an unknown bug, or a plan file that cannot be read
  sim_assertion = 127,   ///< a broken invariant of the engine; the process ends with it
  sim_no_progress = 128, ///< a request was never answered
  sim_wrong_answer = 129,
};

/// Runs, and prints one line: what was done, or what failed and how to see it again. With a canary
/// the bug must be found: then it is clean.
int run_simulator(const sim_options& options);

} // namespace mneme
