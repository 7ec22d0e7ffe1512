#pragma once
/// Draws that are the same on every machine.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace mneme::workloads {

/// splitmix64.
class generator {
public:
  explicit generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(next() % n); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double gaussian() {
    const double radius = std::sqrt(-2 * std::log(unit() + 1e-300));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }

private:
  std::uint64_t state_;
};

/// Zipf(1) over [0, n) by inverse transform.
class zipf {
public:
  explicit zipf(std::uint32_t n) {
    double sum = 0;
    for (std::uint32_t i = 0; i < n; ++i) cumulative_.push_back(sum += 1.0 / (i + 1));
  }
  std::uint32_t draw(generator& g) const {
    const auto it = std::ranges::lower_bound(cumulative_, g.unit() * cumulative_.back());
    const auto at = static_cast<std::size_t>(it - cumulative_.begin());
    return static_cast<std::uint32_t>(std::min(at, cumulative_.size() - 1));
  }

private:
  std::vector<double> cumulative_;
};

} // namespace mneme::workloads
