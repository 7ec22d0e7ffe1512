#include "messages/exp_ceiling.hpp"

#include "messages/math.hpp"

namespace mneme {

exp_ceiling::exp_ceiling() {
  // Covers what rounding takes away, here and between two points.
  constexpr double slack = 1.0 + 1e-12;
  for (std::size_t i = 0; i < at_.size(); ++i)
    at_[i] = stable_exp(-static_cast<double>(i) / steps_per_one) * slack;
}

const exp_ceiling& exp_ceiling::instance() {
  static const exp_ceiling ceiling;
  return ceiling;
}

} // namespace mneme
