#include "index/vectors/distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "index/vectors/vectors.hpp"
#include "messages/ensure.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define MNEME_TARGET_AVX2 __attribute__((target("avx2")))
#define MNEME_TARGET_AVX512 __attribute__((target("avx2,avx512f,avx512bw,avx512vl,avx512vnni")))
#endif

namespace mneme {

namespace {

constexpr std::size_t lanes = 8;

/// The fixed end of every f64 sum.
double fold(const std::array<double, lanes>& s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/// Numbers from `from` on (fewer than `lanes`) go to the lanes they belong to.
double fold_with_tail(std::array<double, lanes> s, const float* a, const float* b, std::size_t from,
                      std::size_t count) {
  for (std::size_t i = from; i < count; ++i)
    s[i - from] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return fold(s);
}

double dot_f64_plain(const float* a, const float* b, std::size_t count) {
  std::array<double, lanes> s{};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane)
      s[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
  return fold_with_tail(s, a, b, i, count);
}

template <class Query, class Sum>
Sum dot_codes_plain(const Query* a, const std::int8_t* b, std::size_t count) {
  Sum sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<Sum>(a[i] * b[i]);
  return sum;
}

// With q/|q| = fq cq + rq and v/|v| = fv cv + rv, the cosine is fq fv (cq . cv) + rv . q/|q|
// + fv cv . rq, and |fv cv| <= 1 + |rv|. The slack covers every rounding here and there: factors
// and errors are f32, and at most 16 terms that sum to 1 are added in f32.
constexpr float bound_slack = 4e-6F;

float bound_of(float dot, const code_scale& query, const code_scale& row) {
  return dot * (query.factor * row.factor) + row.error + (1.0F + row.error) * query.error
         + bound_slack;
}

void bound_cosines_plain(const std::int16_t* query, const code_scale& query_scale,
                         const std::int8_t* codes, std::size_t count, const code_scale* scales,
                         std::size_t rows, float* bounds) {
  for (std::size_t i = 0; i < rows; ++i) {
    const auto dot = dot_codes_plain<std::int16_t, std::int64_t>(query, codes + i * count, count);
    bounds[i] = bound_of(static_cast<float>(dot), query_scale, scales[i]);
  }
}

#if defined(__x86_64__)

MNEME_TARGET_AVX2 double dot_f64_avx2(const float* a, const float* b, std::size_t count) {
  __m256d low = _mm256_setzero_pd();
  __m256d high = _mm256_setzero_pd();
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    low = _mm256_add_pd(low, _mm256_mul_pd(_mm256_cvtps_pd(_mm_loadu_ps(a + i)),
                                           _mm256_cvtps_pd(_mm_loadu_ps(b + i))));
    high = _mm256_add_pd(high, _mm256_mul_pd(_mm256_cvtps_pd(_mm_loadu_ps(a + i + 4)),
                                             _mm256_cvtps_pd(_mm_loadu_ps(b + i + 4))));
  }
  std::array<double, lanes> s;
  _mm256_storeu_pd(s.data(), low);
  _mm256_storeu_pd(s.data() + 4, high);
  return fold_with_tail(s, a, b, i, count);
}

/// The sum of the lanes, which need not fit an i32.
MNEME_TARGET_AVX2 std::int64_t total_of(__m256i lanes_of_sum) {
  const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes_of_sum));
  const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(lanes_of_sum, 1));
  const __m256i four = _mm256_add_epi64(low, high);
  const __m128i two =
      _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
  return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}

MNEME_TARGET_AVX2 std::int32_t dot_codes_avx2(const std::int8_t* a, const std::int8_t* b,
                                              std::size_t count) {
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t i = 0; i < count; i += 16) {
    const __m256i wide_a =
        _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i)));
    const __m256i wide_b =
        _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b + i)));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(wide_a, wide_b));
  }
  return static_cast<std::int32_t>(total_of(sum));
}

// A lane adds 4096 / 8 products of at most 32767 * 127: it stays below 2^31; their sum may not.
MNEME_TARGET_AVX2 std::int64_t dot_query_avx2(const std::int16_t* query, const std::int8_t* b,
                                              std::size_t count) {
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t i = 0; i < count; i += 16) {
    const __m256i wide_query = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(query + i));
    const __m256i wide_b =
        _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b + i)));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(wide_query, wide_b));
  }
  return total_of(sum);
}

/// Sums of the lanes of four sums, in f32: their total need not fit an i32.
MNEME_TARGET_AVX2 __m128 fold_four(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256 ab = _mm256_hadd_ps(_mm256_cvtepi32_ps(a), _mm256_cvtepi32_ps(b));
  const __m256 cd = _mm256_hadd_ps(_mm256_cvtepi32_ps(c), _mm256_cvtepi32_ps(d));
  const __m256 abcd = _mm256_hadd_ps(ab, cd);
  return _mm_add_ps(_mm256_castps256_ps128(abcd), _mm256_extractf128_ps(abcd, 1));
}

/// bound_of for four rows.
MNEME_TARGET_AVX2 __m128 bounds_of_four(__m128 dot, const code_scale& query,
                                        const code_scale* scales) {
  const __m128 low = _mm_loadu_ps(&scales[0].factor);
  const __m128 high = _mm_loadu_ps(&scales[2].factor);
  const __m128 factor = _mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0));
  const __m128 error = _mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1));
  const __m128 cosine = _mm_mul_ps(dot, _mm_mul_ps(_mm_set1_ps(query.factor), factor));
  const __m128 margin = _mm_add_ps(_mm_add_ps(error, _mm_mul_ps(error, _mm_set1_ps(query.error))),
                                   _mm_set1_ps(query.error + bound_slack));
  return _mm_add_ps(cosine, margin);
}

MNEME_TARGET_AVX2 __m256i add_products(__m256i sum, __m256i query, const std::int8_t* codes) {
  const __m256i row =
      _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)));
  return _mm256_add_epi32(sum, _mm256_madd_epi16(query, row));
}

MNEME_TARGET_AVX2 void bound_cosines_avx2(const std::int16_t* query, const code_scale& query_scale,
                                          const std::int8_t* codes, std::size_t count,
                                          const code_scale* scales, std::size_t rows,
                                          float* bounds) {
  std::size_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    const std::int8_t* const first = codes + i * count;
    __m256i sums[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                       _mm256_setzero_si256()};
    for (std::size_t c = 0; c < count; c += 16) {
      const __m256i q = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(query + c));
      sums[0] = add_products(sums[0], q, first + c);
      sums[1] = add_products(sums[1], q, first + count + c);
      sums[2] = add_products(sums[2], q, first + 2 * count + c);
      sums[3] = add_products(sums[3], q, first + 3 * count + c);
    }
    const __m128 dot = fold_four(sums[0], sums[1], sums[2], sums[3]);
    _mm_storeu_ps(bounds + i, bounds_of_four(dot, query_scale, scales + i));
  }
  for (; i < rows; ++i)
    bounds[i] = bound_of(static_cast<float>(dot_query_avx2(query, codes + i * count, count)),
                         query_scale, scales[i]);
}

MNEME_TARGET_AVX512 __m512i wide_codes(const std::int8_t* codes) {
  return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes)));
}

// Masks of all ones stand where g++ 12 warns of its own headers without them.
// A lane adds 4096 / 16 products of at most 32767 * 127: two of them stay below 2^31.
MNEME_TARGET_AVX512 __m256i fold_half(__m512i sum) {
  return _mm256_add_epi32(_mm512_maskz_extracti64x4_epi64(0xFF, sum, 0),
                          _mm512_maskz_extracti64x4_epi64(0xFF, sum, 1));
}

MNEME_TARGET_AVX512 std::int32_t dot_codes_avx512(const std::int8_t* a, const std::int8_t* b,
                                                  std::size_t count) {
  __m512i sum = _mm512_setzero_si512();
  for (std::size_t i = 0; i < count; i += 32)
    sum = _mm512_dpwssd_epi32(sum, wide_codes(a + i), wide_codes(b + i));
  return static_cast<std::int32_t>(total_of(fold_half(sum)));
}

MNEME_TARGET_AVX512 std::int64_t dot_query_avx512(const std::int16_t* query, const std::int8_t* b,
                                                  std::size_t count) {
  __m512i sum = _mm512_setzero_si512();
  for (std::size_t i = 0; i < count; i += 32)
    sum = _mm512_dpwssd_epi32(sum, _mm512_loadu_si512(query + i), wide_codes(b + i));
  return total_of(fold_half(sum));
}

/// Codes are asked for so far ahead of their use, where rows most often go on; what is not there
/// costs nothing. A scan of 12 MB takes a quarter less time.
constexpr std::size_t bytes_ahead = 2048;
constexpr std::size_t cache_line_bytes = 64;

MNEME_TARGET_AVX512 void bound_cosines_avx512(const std::int16_t* query,
                                              const code_scale& query_scale,
                                              const std::int8_t* codes, std::size_t count,
                                              const code_scale* scales, std::size_t rows,
                                              float* bounds) {
  std::size_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    const std::int8_t* const first = codes + i * count;
    __m512i sums[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                       _mm512_setzero_si512()};
    for (std::size_t c = 0; c < 4 * count; c += cache_line_bytes)
      __builtin_prefetch(first + 4 * count + bytes_ahead + c);
    for (std::size_t c = 0; c < count; c += 32) {
      const __m512i q = _mm512_loadu_si512(query + c);
      sums[0] = _mm512_dpwssd_epi32(sums[0], q, wide_codes(first + c));
      sums[1] = _mm512_dpwssd_epi32(sums[1], q, wide_codes(first + count + c));
      sums[2] = _mm512_dpwssd_epi32(sums[2], q, wide_codes(first + 2 * count + c));
      sums[3] = _mm512_dpwssd_epi32(sums[3], q, wide_codes(first + 3 * count + c));
    }
    const __m128 dot =
        fold_four(fold_half(sums[0]), fold_half(sums[1]), fold_half(sums[2]), fold_half(sums[3]));
    _mm_storeu_ps(bounds + i, bounds_of_four(dot, query_scale, scales + i));
  }
  for (; i < rows; ++i)
    bounds[i] = bound_of(static_cast<float>(dot_query_avx512(query, codes + i * count, count)),
                         query_scale, scales[i]);
}

#endif

using f32x4 = float __attribute__((vector_size(16)));
using f64x4 = double __attribute__((vector_size(32)));
using i32x4 = std::int32_t __attribute__((vector_size(16)));

[[gnu::always_inline]] inline f32x4 larger(f32x4 a, f32x4 b) {
  return a > b ? a : b;
}

/// The largest magnitude of `count` numbers, a multiple of `lanes`.
[[gnu::always_inline]] inline double largest_of(const float* values, std::size_t count) {
  f32x4 largest{};
  for (std::size_t i = 0; i < count; i += 4) {
    f32x4 v;
    std::memcpy(&v, values + i, sizeof v);
    largest = larger(largest, larger(v, -v));
  }
  const float first = std::max(largest[0], largest[1]);
  return static_cast<double>(std::max(first, std::max(largest[2], largest[3])));
}

/// Writes the codes of `count` numbers, a multiple of `lanes`; returns the squared length of what
/// they leave out, summed as dot_f64 sums.
template <class Code>
[[gnu::always_inline]] inline double encode_steps(const float* values, std::size_t count,
                                                  double step, double per_step, Code* codes) {
  // Adding 1.5 * 2^52 leaves no bits for a fraction: rounds to the nearest integer.
  constexpr double no_fraction = 6755399441055744.0;
  f64x4 sums[2] = {};
  for (std::size_t i = 0; i < count; i += lanes) {
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t at = i + 4 * half;
      f32x4 v;
      std::memcpy(&v, values + at, sizeof v);
      const f64x4 exact = __builtin_convertvector(v, f64x4);
      const f64x4 code = (exact * per_step + no_fraction) - no_fraction;
      const i32x4 whole = __builtin_convertvector(code, i32x4);
      for (std::size_t lane = 0; lane < 4; ++lane)
        codes[at + lane] = static_cast<Code>(whole[lane]);
      const f64x4 rest = exact - step * code;
      sums[half] += rest * rest;
    }
  }
  std::array<double, lanes> s;
  std::memcpy(s.data(), sums, sizeof sums);
  return fold(s);
}

template <class Code>
[[gnu::always_inline]] inline code_scale encode_body(const float* values, std::size_t count,
                                                     double norm, Code* codes, double code_max) {
  std::array<float, lanes> tail{};
  const std::size_t whole = count / lanes * lanes;
  std::copy(values + whole, values + count, tail.begin());
  const double largest = std::max(largest_of(values, whole), largest_of(tail.data(), lanes));
  const double step = largest / code_max;
  const double per_step = code_max / largest;
  double residual = encode_steps(values, whole, step, per_step, codes);
  if (whole != count) residual += encode_steps(tail.data(), lanes, step, per_step, codes + whole);
  return {.factor = static_cast<float>(step / norm),
          .error = static_cast<float>(std::sqrt(residual) / norm)};
}

template <class Code>
constexpr double code_max = sizeof(Code) == 1 ? 127 : 32767;

template <class Code>
code_scale encode_plain(const float* values, std::size_t count, double norm, Code* codes) {
  return encode_body(values, count, norm, codes, code_max<Code>);
}

#if defined(__x86_64__)
template <class Code>
MNEME_TARGET_AVX2 code_scale encode_avx2(const float* values, std::size_t count, double norm,
                                         Code* codes) {
  return encode_body(values, count, norm, codes, code_max<Code>);
}
#endif

struct kernel_set {
  double (*dot_f64)(const float*, const float*, std::size_t) = dot_f64_plain;
  std::int32_t (*dot_codes)(const std::int8_t*, const std::int8_t*,
                            std::size_t) = dot_codes_plain<std::int8_t, std::int32_t>;
  std::int64_t (*dot_query)(const std::int16_t*, const std::int8_t*,
                            std::size_t) = dot_codes_plain<std::int16_t, std::int64_t>;
  void (*bound_cosines)(const std::int16_t*, const code_scale&, const std::int8_t*, std::size_t,
                        const code_scale*, std::size_t, float*) = bound_cosines_plain;
  code_scale (*encode)(const float*, std::size_t, double, std::int8_t*) = encode_plain;
  code_scale (*encode_query)(const float*, std::size_t, double, std::int16_t*) = encode_plain;
};

kernel_set kernels_of(kernel_level level) {
#if defined(__x86_64__)
  kernel_set avx2{.dot_f64 = dot_f64_avx2,
                  .dot_codes = dot_codes_avx2,
                  .dot_query = dot_query_avx2,
                  .bound_cosines = bound_cosines_avx2,
                  .encode = encode_avx2,
                  .encode_query = encode_avx2};
  if (level == kernel_level::avx2) return avx2;
  if (level == kernel_level::avx512)
    return {.dot_f64 = avx2.dot_f64, // two chains of sums are faster than one of twice the width
            .dot_codes = dot_codes_avx512,
            .dot_query = dot_query_avx512,
            .bound_cosines = bound_cosines_avx512,
            .encode = avx2.encode,
            .encode_query = avx2.encode_query};
#endif
  ensure(level == kernel_level::plain, "kernels are there for this CPU");
  return {};
}

/// Usable from the first instruction of the program on, faster once the CPU was looked at.
constinit kernel_set kernels;

[[maybe_unused]] const bool kernels_chosen = [] {
  kernels = kernels_of(best_kernels());
  return true;
}();

/// Common to both encoders: what cannot be encoded gets no codes and a bound that excludes nothing.
template <class Code, class Kernel>
code_scale encode_as(std::span<const float> values, double norm, std::span<Code> codes,
                     Kernel kernel) {
  std::ranges::fill(codes, Code{0});
  if (norm == 0.0) return {};
  if (!std::isfinite(norm)) return {.factor = 0, .error = 1e30F};
  return kernel(values.data(), values.size(), norm, codes.data());
}

} // namespace

kernel_level best_kernels() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) return kernel_level::plain;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                          && __builtin_cpu_supports("avx512vl")
                          && __builtin_cpu_supports("avx512vnni");
  return has_avx512 ? kernel_level::avx512 : kernel_level::avx2;
#else
  return kernel_level::plain;
#endif
}

void testing_use_kernels(kernel_level level) {
  ensure(level <= best_kernels(), "this CPU has what the kernels need");
  kernels = kernels_of(level);
}

double dot_f64(const float* a, const float* b, std::size_t count) {
  return kernels.dot_f64(a, b, count);
}

double norm_f64(const float* a, std::size_t count) {
  return std::sqrt(dot_f64(a, a, count));
}

double distance_of(double dot, double norm_a, double norm_b) {
  const double distance = 1.0 - dot / (norm_a * norm_b);
  if (distance >= 0.0) return distance;
  return distance < 0.0 ? 0.0 : 1.0;
}

std::int32_t dot_codes(const std::int8_t* a, const std::int8_t* b, std::size_t count) {
  return kernels.dot_codes(a, b, count);
}

std::int64_t dot_codes(const std::int16_t* query, const std::int8_t* b, std::size_t count) {
  return kernels.dot_query(query, b, count);
}

void bound_cosines(const std::int16_t* query, const code_scale& query_scale,
                   const std::int8_t* codes, std::size_t count, const code_scale* scales,
                   std::size_t rows, float* bounds) {
  kernels.bound_cosines(query, query_scale, codes, count, scales, rows, bounds);
}

code_scale encode(std::span<const float> values, double norm, std::span<std::int8_t> codes) {
  return encode_as(values, norm, codes, kernels.encode);
}

code_scale encode_query(std::span<const float> values, double norm, std::span<std::int16_t> codes) {
  return encode_as(values, norm, codes, kernels.encode_query);
}

double cosine_distance(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return 1.0;
  const std::size_t count = a.size();
  return distance_of(dot_f64(a.data(), b.data(), count), norm_f64(a.data(), count),
                     norm_f64(b.data(), count));
}

} // namespace mneme
