#include "index/vectors/hnsw_build.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "messages/ensure.hpp"

// Its prefetches read behind allocations, which AddressSanitizer reports.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NO_MANUAL_VECTORIZATION
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define NO_MANUAL_VECTORIZATION
#endif

// The header defines globals that are not inline; under names of our own they cannot
// clash with those of a host program that uses hnswlib too.
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif
#define cpuid mneme_hnswlib_cpuid
#define xgetbv mneme_hnswlib_xgetbv
#define AVXCapable mneme_hnswlib_avx_capable
#define AVX512Capable mneme_hnswlib_avx512_capable
#define hnswlib mneme_hnswlib

// One thread inserts, and nobody looks on: hnswlib's locks, one beside each point, are nothing but
// memory to wait for at each step of a walk. Its code finds this mutex where it says std::mutex.
namespace hnswlib::std {
using namespace ::std;
struct mutex {
  void lock() {}
  void unlock() {}
};
} // namespace hnswlib::std

#include <hnswlib/hnswlib.h>
#undef cpuid
#undef xgetbv
#undef AVXCapable
#undef AVX512Capable

namespace mneme {

namespace {

/// What hnswlib stores and compares in place of a vector: its factor, then its codes. They lie in
/// the graph, beside the links, where hnswlib asks for them ahead; by a pointer to the codes a
/// build waits for each of them.
std::size_t bytes_of_point(std::size_t code_count) {
  return sizeof(float) + code_count;
}

void put_point(std::span<std::byte> to, float factor, const std::int8_t* codes) {
  ensure(to.size() > sizeof factor, "a point has codes");
  std::memcpy(to.data(), &factor, sizeof factor);
  std::memcpy(to.data() + sizeof factor, codes, to.size() - sizeof factor);
}

/// hnswlib keeps points at addresses that are not aligned.
float factor_at(const void* point) {
  float factor = 0;
  std::memcpy(&factor, point, sizeof factor);
  return factor;
}

const std::int8_t* codes_at(const void* point) {
  return static_cast<const std::int8_t*>(point) + sizeof(float);
}

float compare_points(const void* a, const void* b, const void* code_count) {
  const std::int32_t dot =
      dot_codes(codes_at(a), codes_at(b), *static_cast<const std::size_t*>(code_count));
  return distance_between(dot, factor_at(a), factor_at(b));
}

class code_space final : public hnswlib::SpaceInterface<float> {
public:
  explicit code_space(std::size_t code_count) : code_count_(code_count) {}
  std::size_t get_data_size() override { return bytes_of_point(code_count_); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return compare_points; }
  void* get_dist_func_param() override { return &code_count_; }

private:
  std::size_t code_count_;
};

/// Level l or higher with probability m^-l, as hnswlib draws it, but from the position alone.
int level_of(std::uint32_t position, std::uint32_t m) {
  std::uint64_t bits = (position + 1) * 0x9E3779B97F4A7C15ULL;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
  bits ^= bits >> 31;
  int level = 0;
  while (level < static_cast<int>(segment_links::level_max) && bits % m == 0) {
    bits /= m;
    ++level;
  }
  return level;
}

/// hnswlib's graph, as it is while points are inserted.
class growing_graph : hnswlib::HierarchicalNSW<float> {
  using base_graph = hnswlib::HierarchicalNSW<float>;

public:
  growing_graph(code_space& space, std::size_t capacity, const graph_parameters& p)
      : base_graph(&space, capacity, p.m, p.ef_construction) {}

  /// The first points of this still empty graph become those of `base`; `write_point(i, to)` writes
  /// what stands for point i.
  template <class WritePoint>
  void copy_from(const segment_links& base, WritePoint write_point) {
    ensure(cur_element_count == 0 && base.size() <= max_elements_,
           "a copy has room for its original");
    for (std::uint32_t i = 0; i < base.size(); ++i) {
      std::memset(get_linklist0(i), 0, size_data_per_element_);
      setExternalLabel(i, i);
      write_point(i, std::as_writable_bytes(std::span(getDataByInternalId(i), data_size_)));
      const std::uint32_t level = base.level(i);
      if (level > 0) {
        const std::size_t bytes = size_links_per_element_ * level + 1;
        linkLists_[i] = static_cast<char*>(std::calloc(bytes, 1));
        if (linkLists_[i] == nullptr) throw std::bad_alloc();
      }
      element_levels_[i] = static_cast<int>(level);
      ++cur_element_count; // so that the destructor frees what is there
      for (std::uint32_t l = 0; l <= level; ++l) copy_links(base.row(i, l), i, l);
    }
    enterpoint_node_ = base.entry();
    maxlevel_ = static_cast<int>(base.level(base.entry()));
  }

  /// After an exception this can only be destroyed.
  void insert(std::span<const std::byte> point, std::uint32_t label, int level) {
    // A level of 0 cannot be asked for: it is what a draw times zero gives.
    mult_ = 0;
    level_generator_.seed(1);
    if (level >= maxlevel_) { // the first, too
      addPoint(point.data(), label, level);
      return;
    }
    // As if `level` were the highest, so that hnswlib begins where this descent ends.
    const hnswlib::tableint entry =
        std::exchange(enterpoint_node_, descend(point.data(), enterpoint_node_, level));
    const int levels = std::exchange(maxlevel_, level);
    addPoint(point.data(), label, level);
    enterpoint_node_ = entry;
    maxlevel_ = levels;
  }

  /// What a search reads of it.
  [[nodiscard]] segment_links links(std::uint32_t m) const {
    std::vector<std::uint8_t> levels;
    levels.reserve(cur_element_count);
    for (std::uint32_t i = 0; i < cur_element_count; ++i)
      levels.push_back(static_cast<std::uint8_t>(element_levels_[i]));
    segment_links all(m, levels);
    for (std::uint32_t i = 0; i < levels.size(); ++i) {
      for (std::uint32_t l = 0; l <= levels[i]; ++l) {
        hnswlib::linklistsizeint* list = get_linklist_at_level(i, static_cast<int>(l));
        all.set(i, l, {list + 1, getListCount(list)});
      }
    }
    all.set_entry(enterpoint_node_);
    return all;
  }

private:
  // hnswlib itself keeps one point on its way down, and gets stuck in a wrong cluster; what is
  // inserted there is not found where it belongs. Eight are looked at on each level here, of which
  // the nearest goes on, since its search begins from one.
  /// A near point of the level above `level`, which is not the highest.
  hnswlib::tableint descend(const std::byte* point, hnswlib::tableint from, int level) {
    constexpr std::size_t width = 8;
    const std::size_t width_of_level = std::exchange(ef_construction_, width);
    for (int l = maxlevel_; l > level; --l) {
      auto nearest = searchBaseLayer(from, point, l);
      while (nearest.size() > 1) nearest.pop();
      from = nearest.top().second;
    }
    ef_construction_ = width_of_level;
    return from;
  }

  void copy_links(std::span<const std::uint32_t> row, std::uint32_t point, std::uint32_t level) {
    hnswlib::linklistsizeint* list = get_linklist_at_level(point, static_cast<int>(level));
    const auto end = std::ranges::find(row, no_number);
    std::copy(row.begin(), end, list + 1);
    setListCount(list, static_cast<unsigned short>(end - row.begin()));
  }
};

} // namespace

std::optional<segment_links> build_links(const segment_links* base, const vector_rows& rows,
                                         const segment_points& points, const graph_parameters& p,
                                         const std::atomic<bool>& stop) try {
  ensure(base == nullptr || (base->m() == p.m && base->size() <= points.size()),
         "a graph is extended at its end");
  code_space space(rows.code_count());
  growing_graph graph(space, points.size(), p);
  const auto write_point = [&](std::uint32_t i, std::span<std::byte> to) {
    const std::uint32_t at = points.first(i);
    put_point(to, rows.scale(at).factor, rows.codes(at));
  };
  if (base != nullptr) graph.copy_from(*base, write_point);
  std::vector<std::byte> point(bytes_of_point(rows.code_count()));
  for (std::uint32_t i = base == nullptr ? 0 : base->size(); i < points.size(); ++i) {
    if (stop.load(std::memory_order_relaxed)) return {};
    write_point(i, point);
    graph.insert(point, i, level_of(points.first(i), p.m));
  }
  return graph.links(p.m);
} catch (const std::exception&) {
  return {};
}

} // namespace mneme
