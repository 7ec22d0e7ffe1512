#pragma once
/// The workloads of `mneme bench`: each through the public API, its answers held against a plain
/// truth, and beside it, in turns with it, what plain C++ takes for the same: its floor.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mneme/error.hpp"

namespace mneme::workloads {

struct run_options {
  std::size_t size = 10'000;
  std::uint64_t seed = 1;
  std::string directory;          ///< empty or missing; what is in it belongs to the run
  std::vector<std::string> names; ///< empty: all
  double seconds_each = 1;        ///< at most, but for the load
};

struct measured {
  std::string name{};
  std::string what{};
  std::string floor{}; ///< what its floor is; empty: it has none
  std::size_t size = 0;
  std::size_t repetitions = 0;
  double p50_us = 0;
  double p99_us = 0;
  double per_second = 0;
  double floor_p50_us = 0;
  double floor_p99_us = 0;
  double right = 0; ///< share of the answers that is right; of near: recall
};

/// The names that run_options::names takes, in the order of their run.
std::vector<std::string> workload_names();

/// Needs a directory of its own for each call. `progress` is told what begins.
result<std::vector<measured>> run(const run_options& options,
                                  const std::function<void(const std::string&)>& progress);

} // namespace mneme::workloads
