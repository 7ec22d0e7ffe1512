#include "bench/workloads/hnsw_floor.hpp"

#include <hnswlib/hnswlib.h>

namespace mneme::bench {

struct hnsw_floor::impl {
  hnswlib::InnerProductSpace space;
  hnswlib::HierarchicalNSW<float> graph;

  impl(std::size_t dim, std::size_t count) : space(dim), graph(&space, count, 16, 200) {}
};

hnsw_floor::hnsw_floor(const float* vectors, std::size_t count, std::size_t dim)
    : impl_(std::make_unique<impl>(dim, count)) {
  for (std::size_t i = 0; i < count; ++i) impl_->graph.addPoint(vectors + i * dim, i);
  impl_->graph.setEf(64);
}
hnsw_floor::~hnsw_floor() = default;

std::vector<std::size_t> hnsw_floor::nearest(const float* query, std::size_t k) const {
  auto found = impl_->graph.searchKnn(query, k);
  std::vector<std::size_t> labels(found.size());
  for (std::size_t i = found.size(); i-- > 0; found.pop()) labels[i] = found.top().second;
  return labels;
}

} // namespace mneme::bench
