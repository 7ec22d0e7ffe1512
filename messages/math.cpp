#include "messages/math.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace mneme {

namespace {

// ln 2 in two parts: the high one has 21 trailing zero bits, so that k * ln2_high is exact for
// every exponent k of a double.
constexpr double ln2_high = 0x1.62e42fee00000p-1;
constexpr double ln2_low = 0x1.a39ef35793c76p-33;
constexpr double inverse_ln2 = 0x1.71547652b82fep+0;

/// 2^k for a normal exponent.
double power_of_two(int k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

/// y * 2^k, rounding once more where the result is subnormal.
double scale(double y, int k) {
  if (k > 1023) return y * power_of_two(1023) * power_of_two(k - 1023);
  if (k < -1022) return y * power_of_two(k + 100) * power_of_two(-100);
  return y * power_of_two(k);
}

} // namespace

double stable_exp(double x) noexcept {
  if (x != x) return x;
  if (x > 709.782712893384) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0.0;
  const double scaled = x * inverse_ln2;
  const int k = static_cast<int>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  const double high = x - k * ln2_high;
  const double low = k * ln2_low;
  const double r = high - low;
  const double rest = (high - r) - low;
  // Taylor terms 1/n! from n = 14 down to 2: |r| <= 0.347, so the first one left out is < 1e-19.
  constexpr std::array<double, 13> terms = {
      1.0 / 87178291200.0, 1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
      1.0 / 362880.0,      1.0 / 40320.0,      1.0 / 5040.0,      1.0 / 720.0,      1.0 / 120.0,
      1.0 / 24.0,          1.0 / 6.0,          1.0 / 2.0};
  double sum = 0;
  for (const double term : terms) sum = sum * r + term;
  return scale(1.0 + (r + (rest + r * r * sum)), k);
}

double stable_log(double x) noexcept {
  if (x != x || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (x > std::numeric_limits<double>::max()) return x;
  int k = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= power_of_two(54);
    k = -54;
  }
  auto bits = std::bit_cast<std::uint64_t>(x);
  k += static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL;
  double m = std::bit_cast<double>(bits);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    k += 1;
  }
  // log(1+f) = f - f²/2 + s * (f²/2 + R), s = f / (2 + f), R = 2/3 s² + 2/5 s⁴ + …; |s| <= 0.172.
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  constexpr std::array<double, 11> terms = {2.0 / 23.0, 2.0 / 21.0, 2.0 / 19.0, 2.0 / 17.0,
                                            2.0 / 15.0, 2.0 / 13.0, 2.0 / 11.0, 2.0 / 9.0,
                                            2.0 / 7.0,  2.0 / 5.0,  2.0 / 3.0};
  double sum = 0;
  for (const double term : terms) sum = sum * z + term;
  const double rest = sum * z;
  const double half_square = 0.5 * f * f;
  return k * ln2_high - ((half_square - (s * (half_square + rest) + k * ln2_low)) - f);
}

} // namespace mneme
