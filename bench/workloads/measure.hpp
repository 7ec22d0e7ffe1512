#pragma once
/// Numbers out of measured times.

#include <utility>
#include <vector>

namespace mneme::workloads {

/// The value that `share` of them (0..1) do not exceed; 0 of none.
double percentile(std::vector<double> values, double share);

/// The x of cost = a × size^x that fits best; 0 for fewer than two different sizes.
double cost_exponent(const std::vector<std::pair<double, double>>& size_and_cost);

} // namespace mneme::workloads
