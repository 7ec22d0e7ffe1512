// exp and log of our own against libm in long double: the errors in units in the last place, the
// exact points and the edges. A few fixed bits guard against a change of the order of operations.
// Of: messages/exp_ceiling.cpp

#include "messages/exp_ceiling.hpp"
#include "messages/math.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <catch2/catch.hpp>

namespace {

using mneme::stable_exp;
using mneme::stable_log;

double error_in_ulps(double got, long double exact) {
  const double rounded = static_cast<double>(exact);
  const double ulp = std::nextafter(std::fabs(rounded), std::numeric_limits<double>::infinity())
                     - std::fabs(rounded);
  return static_cast<double>(std::fabs((static_cast<long double>(got) - exact) / ulp));
}

struct number_stream {
  std::uint64_t state = 7;
  double unit() {
    state += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
};

TEST_CASE("exp is within 1.5 ulp over its whole range") {
  number_stream numbers;
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const double wide = -708.0 + numbers.unit() * 1417.0;
    const double small = (numbers.unit() - 0.5) * 4.0;
    worst =
        std::max(worst, error_in_ulps(stable_exp(wide), std::exp(static_cast<long double>(wide))));
    worst = std::max(worst,
                     error_in_ulps(stable_exp(small), std::exp(static_cast<long double>(small))));
  }
  CHECK(worst < 1.5);
}

TEST_CASE("the ceiling of exp is never below it, and close above") {
  const auto& ceiling = mneme::exp_ceiling::instance();
  number_stream numbers;
  for (int i = 0; i < 300'000; ++i) {
    const double x = i % 3 == 0 ? numbers.unit() * 24.0 : numbers.unit() * 2.0;
    REQUIRE(ceiling(x) >= stable_exp(-x));
    REQUIRE(ceiling(x) <= stable_exp(-x) * 1.0002);
  }
  for (int i = 0; i < 24 * 32; ++i) REQUIRE(ceiling(i / 32.0) >= stable_exp(-i / 32.0));
  for (const double x : {24.0, 25.0, 1e9, std::numeric_limits<double>::infinity()}) {
    CHECK(ceiling(x) >= stable_exp(-x));
    CHECK(ceiling(x) < 4e-11);
  }
}

TEST_CASE("exp at its edges") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(stable_exp(0.0) == 1.0);
  CHECK(stable_exp(-0.0) == 1.0);
  CHECK(stable_exp(infinity) == infinity);
  CHECK(stable_exp(-infinity) == 0.0);
  CHECK(stable_exp(710.0) == infinity);
  CHECK(stable_exp(709.78) == Approx(std::exp(709.78)));
  CHECK(stable_exp(-746.0) == 0.0);
  CHECK(stable_exp(-1e308) == 0.0);
  CHECK(std::isnan(stable_exp(std::numeric_limits<double>::quiet_NaN())));
  for (double x = -745.0; x < -708.0; x += 0.37) // subnormal results
    CHECK(std::fabs(stable_exp(x) - std::exp(x))
          <= 2 * std::numeric_limits<double>::denorm_min() + std::exp(x) * 1e-15);
}

TEST_CASE("exp is monotone where salience uses it") {
  double before = 2;
  for (int i = 0; i < 200'000; ++i) {
    const double now = stable_exp(-i * 1e-4);
    REQUIRE(now <= before);
    before = now;
  }
}

TEST_CASE("log is within 1.5 ulp over its whole range") {
  number_stream numbers;
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const double wide =
        std::ldexp(1.0 + numbers.unit(), static_cast<int>(numbers.unit() * 2000) - 1000);
    const double near_one = 0.5 + numbers.unit() * 1.5;
    worst =
        std::max(worst, error_in_ulps(stable_log(wide), std::log(static_cast<long double>(wide))));
    worst = std::max(
        worst, error_in_ulps(stable_log(near_one), std::log(static_cast<long double>(near_one))));
  }
  for (int n = 2; n <= 1001; ++n)
    worst = std::max(worst, error_in_ulps(stable_log(n), std::log(static_cast<long double>(n))));
  CHECK(worst < 1.5);
}

TEST_CASE("log at its edges") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(stable_log(1.0) == 0.0);
  CHECK(stable_log(0.0) == -infinity);
  CHECK(stable_log(-0.0) == -infinity);
  CHECK(stable_log(infinity) == infinity);
  CHECK(std::isnan(stable_log(-1.0)));
  CHECK(std::isnan(stable_log(-infinity)));
  CHECK(std::isnan(stable_log(std::numeric_limits<double>::quiet_NaN())));
  CHECK(stable_log(std::numeric_limits<double>::denorm_min()) == Approx(-744.4400719213812));
  CHECK(stable_log(std::numeric_limits<double>::max()) == Approx(709.782712893384));
}

TEST_CASE("the bits of a sum over many arguments are fixed") {
  std::uint64_t mixed = 0;
  for (int i = 1; i <= 10'000; ++i) {
    mixed = (mixed ^ std::bit_cast<std::uint64_t>(stable_exp(-i * 0.01))) * 0x100000001B3ULL;
    mixed = (mixed ^ std::bit_cast<std::uint64_t>(stable_log(i * 0.37))) * 0x100000001B3ULL;
  }
  CHECK(mixed == 0x9eff9a80076383e7ULL);
}

} // namespace
