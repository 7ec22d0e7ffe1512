#pragma once
/// The workloads of `mneme bench`: each through the public API, its answers held against a plain
/// truth, and beside it, in turns with it, what plain C++ takes for the same (its floor) and what
/// SQLite takes (its peer).

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/workloads/report.hpp"
#include "mneme/error.hpp"

namespace mneme::workloads {

struct run_options {
  std::size_t size = 10'000;
  std::uint64_t seed = 1;
  std::string directory;          ///< empty or missing; what is in it belongs to the run
  std::vector<std::string> names; ///< empty: all
  double seconds_each = 0.8;      ///< about so long, but for loads and slow peers
};

/// The names that run_options::names takes, in the order of their run.
std::vector<std::string> workload_names();

/// One run after the other, each in a directory of its own, which is removed when its run is done.
/// What opens a world in a new process is forked before the first world is opened: this process has
/// one thread, and has opened none. `progress` is told what begins. An answer that is not right
/// ends it with an error at `wrong_answer`.
result<std::vector<measured>> run(const std::vector<run_options>& runs,
                                  const std::function<void(const std::string&)>& progress);

} // namespace mneme::workloads
