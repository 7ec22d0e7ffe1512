#include "bench/workloads/measure.hpp"

#include <algorithm>
#include <cmath>

namespace mneme::workloads {

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto rank = std::ceil(share * static_cast<double>(values.size()));
  const auto at =
      std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(rank) - 1, 0, std::ssize(values) - 1);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

double cost_exponent(const std::vector<std::pair<double, double>>& size_and_cost) {
  double x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0, n = 0;
  for (const auto& [size, cost] : size_and_cost) {
    if (size <= 0 || cost <= 0) continue;
    const double x = std::log(size);
    const double y = std::log(cost);
    x_sum += x;
    y_sum += y;
    xx_sum += x * x;
    xy_sum += x * y;
    ++n;
  }
  const double spread = n * xx_sum - x_sum * x_sum;
  return spread > 1e-9 ? (n * xy_sum - x_sum * y_sum) / spread : 0;
}

} // namespace mneme::workloads
