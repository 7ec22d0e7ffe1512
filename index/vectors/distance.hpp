#pragma once
/// Kernels over vectors. Values are finite; what is not makes distances meaningless, never crashes.
/// Every kernel gives the same bits on every machine and compiler: products
/// of two f32 are exact in f64, sums run in eight lanes with a fixed tree at the end, and the dot
/// products of codes are integers. AVX-512 or AVX2 are used where the CPU has them.

#include <cstddef>
#include <cstdint>
#include <span>

namespace mneme {

/// Vectors and codes are stored in rows padded with zeros to a multiple of this many numbers.
inline constexpr std::size_t dimension_step = 32;

constexpr std::size_t padded(std::size_t dim) {
  return (dim + dimension_step - 1) / dimension_step * dimension_step;
}

/// Which instructions the kernels are made of.
enum class kernel_level : std::uint8_t { plain, avx2, avx512 };
/// The best that this CPU has, which is what is used.
kernel_level best_kernels();
/// For tests that hold all of them against each other; nothing else may run meanwhile.
void testing_use_kernels(kernel_level level);

/// Sum of products in f64, fixed order. Trailing zeros do not change the result.
double dot_f64(const float* a, const float* b, std::size_t count);
/// Euclidean length, from dot_f64.
double norm_f64(const float* a, std::size_t count);
/// 1 - dot / (norm * norm), never below 0; 1 if that is not a number, as for a zero vector.
double distance_of(double dot, double norm_a, double norm_b);

/// Exact integer dot products. `count` is a multiple of dimension_step; 4096 at most.
std::int32_t dot_codes(const std::int8_t* a, const std::int8_t* b, std::size_t count);
std::int64_t dot_codes(const std::int16_t* query, const std::int8_t* b, std::size_t count);

/// What a row of 8-bit codes c says of its vector v: v / |v| = factor * c + r, with |r| <= error.
struct code_scale {
  float factor = 0;
  float error = 0;
};

/// Writes the codes of `values` (padded to `codes.size()`).
code_scale encode(std::span<const float> values, double norm, std::span<std::int8_t> codes);
/// As encode, with 15-bit codes: for the one query that meets many rows.
code_scale encode_query(std::span<const float> values, double norm, std::span<std::int16_t> codes);

/// Upper bounds of the cosines between an encoded query and `rows` encoded rows that lie one after
/// the other. 1 - bound is never above the distance, whatever the residuals are; how far it is
/// below may differ between CPUs.
void bound_cosines(const std::int16_t* query, const code_scale& query_scale,
                   const std::int8_t* codes, std::size_t count, const code_scale* scales,
                   std::size_t rows, float* bounds);

/// Approximate distance between two encoded rows, for graphs.
inline float distance_between(std::int32_t dot, float factor_a, float factor_b) {
  return 1.0F - static_cast<float>(dot) * (factor_a * factor_b);
}

} // namespace mneme
