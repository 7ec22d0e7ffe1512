#include "bench/workloads/dot.hpp"

#include <cstddef>

#include "bench/workloads/dataset.hpp"

namespace mneme::workloads {

namespace {

/// Four sums of as many lanes as a register has: the compiler makes registers of them.
template <std::size_t lanes>
[[gnu::always_inline]] inline float dot_by(const float* a, const float* b) {
  constexpr std::size_t step = 4 * lanes;
  static_assert(dimension % step == 0);
  float sums[step] = {};
  for (std::size_t k = 0; k < dimension; k += step)
    for (std::size_t l = 0; l < step; ++l) sums[l] += a[k + l] * b[k + l];
  for (std::size_t width = step / 2; width > 0; width /= 2)
    for (std::size_t l = 0; l < width; ++l) sums[l] += sums[l + width];
  return sums[0];
}

float dot_plain(const float* a, const float* b) {
  return dot_by<4>(a, b);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] float dot_avx2(const float* a, const float* b) {
  return dot_by<8>(a, b);
}
#endif

} // namespace

dot_function fastest_dot() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return dot_avx2;
#endif
  return dot_plain;
}

double exact_dot(const float* a, const float* b) {
  double sum = 0;
  for (std::size_t k = 0; k < dimension; ++k)
    sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  return sum;
}

} // namespace mneme::workloads
