#pragma once
/// Makes the plan of a failed run smaller: drops operations and faults as long as the same oracle
/// still fails.

#include <string>
#include <vector>

#include "sim/simulation.hpp"

namespace mneme::sim {

/// The plan lines that are left. Precondition: `failed` is the failure of `run`.
std::vector<std::string> reduce(const run_options& run, const run_report& failed);

} // namespace mneme::sim
