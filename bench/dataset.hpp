#pragma once
/// The seeded data set of the benchmarks: memories of one of 8 types with 3 Zipf tags of 2,000, a
/// 128-d unit vector of one of 200 clusters, about 200 bytes of text, times spread over a year; two
/// edges per memory, most to already popular ones.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mneme/engine.hpp"

namespace mneme::bench {

inline constexpr std::size_t dimension = 128;
inline constexpr std::uint32_t tag_count = 2000;
inline constexpr timestamp first_day{1'735'689'600'000'000'000}; // 2025-01-01
inline constexpr std::int64_t day_ns = 86'400'000'000'000;

/// A small generator of its own: the same numbers on every machine.
class generator {
public:
  explicit generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(next() % n); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double gaussian();

private:
  std::uint64_t state_;
};

struct row {
  memory_type type{};
  std::uint32_t tags[3] = {};
  timestamp created_at;
  std::int64_t importance = 0;
};

struct dataset {
  std::vector<row> rows;
  std::vector<float> vectors; ///< rows.size() × dimension
  std::vector<float> queries; ///< 64 × dimension, same distribution
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<std::uint8_t> edge_types;

  [[nodiscard]] const float* vector_of(std::size_t i) const { return &vectors[i * dimension]; }
  [[nodiscard]] std::vector<float> query(std::size_t i) const {
    const float* q = &queries[(i % 64) * dimension];
    return {q, q + dimension};
  }
};

/// The same for the same size. Kept for the process's life.
const dataset& dataset_of(std::size_t size);
memory_id id_of(std::size_t row);
std::string tag_name(std::uint32_t tag);
write_request request_of(const dataset& d, std::size_t row);

/// An engine on disk that holds the data set; made once per size and kept until the process ends.
engine& loaded_engine(std::size_t size);
/// A directory that is removed when the process ends.
std::string scratch_directory(const std::string& name);

} // namespace mneme::bench
