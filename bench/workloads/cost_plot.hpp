#pragma once
/// Cost against the number of memories: how each workload grows.

#include <string>
#include <utility>
#include <vector>

#include "bench/workloads/report.hpp"

namespace mneme::workloads {

/// The costs of one side of a workload, by size.
using cost_line = std::vector<std::pair<double, double>>;
/// A workload at all sizes.
struct workload_costs {
  std::string name{};
  cost_line engine{};
  cost_line floor{};
  cost_line peer{};
};
/// In the order of their first rows.
std::vector<workload_costs> costs_by_workload(const std::vector<measured>& all);

/// An SVG with a panel for each workload, both axes logarithmic, the fitted exponents in its title.
std::string cost_plot(const std::vector<measured>& all);

} // namespace mneme::workloads
