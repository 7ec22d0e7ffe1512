#pragma once
/// hnswlib by itself: the floor of a near query.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace mneme::workloads {

class hnsw_floor {
public:
  /// Builds a graph (M 16, efConstruction 200) over unit vectors of `dimension`.
  hnsw_floor(const float* vectors, std::size_t count);
  ~hnsw_floor();
  void set_ef(std::size_t ef);
  /// The k nearest, nearest first.
  [[nodiscard]] std::vector<std::uint32_t> nearest(const float* query, std::size_t k) const;

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme::workloads
