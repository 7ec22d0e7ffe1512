#include "bench/workloads/hnsw_floor.hpp"

#include <hnswlib/hnswlib.h>

#include "bench/workloads/dataset.hpp"
#include "bench/workloads/dot.hpp"

namespace mneme::workloads {

namespace {

/// hnswlib's own distances are as fast as the flags of this build; ours as this machine.
class unit_space : public hnswlib::SpaceInterface<float> {
public:
  size_t get_data_size() override { return dimension * sizeof(float); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return distance; }
  void* get_dist_func_param() override { return nullptr; }

private:
  static float distance(const void* a, const void* b, const void* /*dim*/) {
    static const dot_function product = fastest_dot();
    return 1.0F - product(static_cast<const float*>(a), static_cast<const float*>(b));
  }
};

} // namespace

struct hnsw_floor::impl {
  unit_space space;
  hnswlib::HierarchicalNSW<float> graph;

  /// As hnswlib comes: it looks more widely for links than the engine does.
  explicit impl(std::size_t count) : graph(&space, count, 16, 200) {}
};

hnsw_floor::hnsw_floor(const float* vectors, std::size_t count)
    : impl_(std::make_unique<impl>(count)) {
  for (std::size_t i = 0; i < count; ++i) impl_->graph.addPoint(vectors + i * dimension, i);
}
hnsw_floor::~hnsw_floor() = default;

void hnsw_floor::set_ef(std::size_t ef) {
  impl_->graph.setEf(ef);
}

std::vector<std::uint32_t> hnsw_floor::nearest(const float* query, std::size_t k) const {
  auto found = impl_->graph.searchKnn(query, k);
  std::vector<std::uint32_t> labels(found.size());
  for (std::size_t i = found.size(); i-- > 0; found.pop())
    labels[i] = static_cast<std::uint32_t>(found.top().second);
  return labels;
}

} // namespace mneme::workloads
