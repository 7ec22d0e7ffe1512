#pragma once
/// hnswlib by itself: the floor of a near query.

#include <cstddef>
#include <memory>
#include <vector>

namespace mneme::bench {

class hnsw_floor {
public:
  /// Builds a graph (M 16, efConstruction 200) over unit vectors.
  hnsw_floor(const float* vectors, std::size_t count, std::size_t dim);
  ~hnsw_floor();
  /// Labels of the k nearest at ef = 64.
  std::vector<std::size_t> nearest(const float* query, std::size_t k) const;

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme::bench
