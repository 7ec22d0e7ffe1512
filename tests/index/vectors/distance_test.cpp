// Distance kernels: the bits of the written definition on whatever CPU runs the test, and bounds
// that always hold.
#include "index/vectors/distance.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "index/vectors/vectors.hpp"
#include "tests/index/dice.hpp"

namespace mneme {

namespace {

/// The definition in plain words: eight lanes in f64, one tree.
double defined_dot(const std::vector<float>& a, const std::vector<float>& b) {
  std::array<double, 8> lane{};
  for (std::size_t i = 0; i < a.size(); ++i)
    lane[i % 8] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

std::vector<float> random_vector(dice& d, std::size_t count) {
  const float scale = std::ldexp(1.0F, static_cast<int>(d.below(60)) - 30);
  std::vector<float> v(count);
  for (float& x : v) x = d.bell() * scale;
  return v;
}

std::uint64_t bits(double v) {
  return std::bit_cast<std::uint64_t>(v);
}

} // namespace

TEST_CASE("kernels of all instruction sets of this CPU give the same bits") {
  dice d(9);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + d.below(round % 50 == 0 ? 4096 : 300);
    const std::size_t width = padded(count);
    const auto a = random_vector(d, count);
    const auto b = random_vector(d, count);
    std::vector<std::uint64_t> seen;
    for (auto level = kernel_level::plain; level <= best_kernels();
         level = static_cast<kernel_level>(static_cast<int>(level) + 1)) {
      testing_use_kernels(level);
      std::vector<std::int16_t> query(width);
      std::vector<std::int8_t> row(width);
      std::vector<std::int8_t> other(width);
      const auto query_scale = encode_query(a, norm_f64(a.data(), count), query);
      const auto row_scale = encode(b, norm_f64(b.data(), count), row);
      const auto other_scale = encode(a, norm_f64(a.data(), count), other);
      std::uint64_t folded = bits(dot_f64(a.data(), b.data(), count));
      for (const auto value : {dot_codes(query.data(), row.data(), width),
                               std::int64_t{dot_codes(other.data(), row.data(), width)}})
        folded = folded * 31 + static_cast<std::uint64_t>(value);
      for (const auto& scale : {query_scale, row_scale, other_scale})
        folded = (folded * 31 + std::bit_cast<std::uint32_t>(scale.factor)) * 31
                 + std::bit_cast<std::uint32_t>(scale.error);
      seen.push_back(folded);
    }
    testing_use_kernels(best_kernels());
    REQUIRE(std::ranges::count(seen, seen.front()) == static_cast<std::ptrdiff_t>(seen.size()));
  }
}

TEST_CASE("the f64 dot product has the bits of its definition for every length") {
  dice d(1);
  for (std::size_t count = 0; count < 300; ++count) {
    const auto a = random_vector(d, count);
    const auto b = random_vector(d, count);
    REQUIRE(bits(dot_f64(a.data(), b.data(), count)) == bits(defined_dot(a, b)));
    auto longer = a;
    auto other = b;
    longer.resize(count + 40, 0.0F);
    other.resize(count + 40, 0.0F);
    REQUIRE(bits(dot_f64(longer.data(), other.data(), count + 40)) == bits(defined_dot(a, b)));
  }
}

TEST_CASE("cosine distance: known values, edges, and bits that must never change") {
  const std::vector<float> x{1, 0, 0};
  const std::vector<float> y{0, 2, 0};
  const std::vector<float> minus_x{-5, 0, 0};
  const std::vector<float> zero{0, 0, 0};
  CHECK(cosine_distance(x, x) == 0.0);
  CHECK(cosine_distance(x, y) == 1.0);
  CHECK(cosine_distance(x, minus_x) == 2.0);
  CHECK(cosine_distance(x, zero) == 1.0);
  CHECK(cosine_distance(zero, zero) == 1.0);
  dice d(42);
  std::uint64_t folded = 0;
  for (std::size_t count : {1U, 7U, 64U, 100U, 128U, 384U, 1000U}) {
    const auto a = random_vector(d, count);
    const auto b = random_vector(d, count);
    const double distance = cosine_distance(a, b);
    CHECK(distance == cosine_distance(b, a));
    CHECK(distance
          == std::max(0.0,
                      1.0
                          - defined_dot(a, b)
                                / (std::sqrt(defined_dot(a, a)) * std::sqrt(defined_dot(b, b)))));
    CHECK(cosine_distance(a, a) < 1e-15);
    CHECK(cosine_distance(a, a) >= 0);
    folded = folded * 31 + bits(distance);
  }
  CHECK(folded == 0x8b3ffb19b36dcb25ULL);
}

TEST_CASE("integer dot products are exact up to the largest codes and dimensions") {
  const auto level = GENERATE(kernel_level::plain, kernel_level::avx2, kernel_level::avx512);
  testing_use_kernels(std::min(level, best_kernels()));
  dice d(3);
  for (std::size_t count = dimension_step; count <= 4096; count += 16 * dimension_step) {
    for (int extreme = 0; extreme < 3; ++extreme) {
      std::vector<std::int8_t> a(count);
      std::vector<std::int8_t> b(count);
      std::vector<std::int16_t> q(count);
      std::int64_t sum = 0;
      std::int64_t query_sum = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const auto draw = [&](std::int32_t limit) {
          if (extreme == 1) return limit;
          if (extreme == 2) return d.one_in(2) ? limit : -limit;
          return static_cast<std::int32_t>(d.below(2 * static_cast<std::uint32_t>(limit) + 1))
                 - limit;
        };
        a[i] = static_cast<std::int8_t>(draw(127));
        b[i] = static_cast<std::int8_t>(draw(127));
        q[i] = static_cast<std::int16_t>(draw(32767));
        sum += std::int64_t{a[i]} * b[i];
        query_sum += std::int64_t{q[i]} * b[i];
      }
      REQUIRE(dot_codes(a.data(), b.data(), count) == sum);
      REQUIRE(dot_codes(q.data(), b.data(), count) == query_sum);
    }
  }
  testing_use_kernels(best_kernels());
}

TEST_CASE("the bounds from the codes are never below the cosine, and near it") {
  const auto level = GENERATE(kernel_level::plain, kernel_level::avx2, kernel_level::avx512);
  testing_use_kernels(std::min(level, best_kernels()));
  dice d(5);
  float worst_gap = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::size_t count = 1 + d.below(i % 100 == 0 ? 4096 : 200);
    const std::size_t width = padded(count);
    auto query = random_vector(d, count);
    if (d.one_in(20)) query.assign(count, 1.0F);
    std::vector<std::int16_t> query_codes(width);
    const auto query_scale = encode_query(query, norm_f64(query.data(), count), query_codes);
    const std::size_t rows = 1 + d.below(20);
    std::vector<std::vector<float>> vectors;
    std::vector<std::int8_t> codes(rows * width);
    std::vector<code_scale> scales;
    for (std::size_t r = 0; r < rows; ++r) {
      auto v = d.one_in(10) ? query : random_vector(d, count);
      if (d.one_in(20)) v[d.below(count)] = 1e30F; // one number dwarfs the others
      if (d.one_in(20)) v.assign(count, d.one_in(2) ? 0.0F : -3.0F);
      scales.push_back(
          encode(v, norm_f64(v.data(), count), std::span(codes).subspan(r * width, width)));
      vectors.push_back(std::move(v));
    }
    std::vector<float> bounds(rows);
    bound_cosines(query_codes.data(), query_scale, codes.data(), width, scales.data(), rows,
                  bounds.data());
    for (std::size_t r = 0; r < rows; ++r) {
      const double cosine = 1.0 - cosine_distance(query, vectors[r]);
      // Half of the slack stays for those who compare the bound with something rounded.
      REQUIRE(static_cast<double>(bounds[r]) - 2e-6 >= cosine);
      worst_gap = std::max(worst_gap, bounds[r] - static_cast<float>(cosine));
    }
  }
  CHECK(worst_gap < 0.1F);
  testing_use_kernels(best_kernels());
}

TEST_CASE("vectors that are not finite are never ruled out by a bound") {
  std::vector<float> v(32, 1.0F);
  std::vector<std::int8_t> codes(32, 5);
  const std::vector<std::int16_t> query(32, 7);
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    v[3] = bad;
    const auto scale = encode(v, norm_f64(v.data(), v.size()), codes);
    for (const std::int8_t c : codes) CHECK(c == 0);
    float bound = 0;
    bound_cosines(query.data(), {.factor = 1, .error = 0.001F}, codes.data(), 32, &scale, 1,
                  &bound);
    CHECK(bound > 1e29F);
    CHECK(cosine_distance(v, v) == 1.0);
  }
}

} // namespace mneme
