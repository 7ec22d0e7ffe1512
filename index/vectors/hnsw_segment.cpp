#include "index/vectors/hnsw_segment.hpp"

#include <algorithm>
#include <cstring>
#include <queue>

#include "index/graph/visited_nodes.hpp"
#include "messages/ensure.hpp"

// Its prefetches read behind allocations, which AddressSanitizer reports.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NO_MANUAL_VECTORIZATION
#endif
#if __has_feature(thread_sanitizer)
#define MNEME_THREAD_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define NO_MANUAL_VECTORIZATION
#endif
#if defined(__SANITIZE_THREAD__)
#define MNEME_THREAD_SANITIZER
#endif

#if defined(MNEME_THREAD_SANITIZER)
/// hnswlib locks elements in no order; with one inserting thread nothing can come of it. Its stacks
/// are too deep for a suppression by name.
extern "C" const char* __tsan_default_options() {
  return "detect_deadlocks=0";
}
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
#include <hnswlib/hnswlib.h>
#undef cpuid
#undef xgetbv
#undef AVXCapable
#undef AVX512Capable

namespace mneme {

namespace {

/// What hnswlib stores and compares in place of a vector.
struct graph_point {
  const std::int8_t* codes;
  float factor;
  std::uint32_t unused;
};

/// hnswlib keeps points at addresses that are not aligned.
graph_point point_at(const void* stored) {
  graph_point point;
  std::memcpy(&point, stored, sizeof(point));
  return point;
}

float compare_points(const void* a, const void* b, const void* code_count) {
  const graph_point left = point_at(a);
  const graph_point right = point_at(b);
  const std::int32_t dot =
      dot_codes(left.codes, right.codes, *static_cast<const std::size_t*>(code_count));
  return distance_between(dot, left.factor, right.factor);
}

class code_space final : public hnswlib::SpaceInterface<float> {
public:
  explicit code_space(std::size_t code_count) : code_count_(code_count) {}
  std::size_t get_data_size() override { return sizeof(graph_point); }
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
  while (level < 15 && bits % m == 0) {
    bits /= m;
    ++level;
  }
  return level;
}

struct near_point {
  float distance;
  std::uint32_t point; ///< in the graph
  friend auto operator<=>(const near_point&, const near_point&) = default;
};
using nearest_first = std::priority_queue<near_point, std::vector<near_point>, std::greater<>>;
using farthest_first = std::priority_queue<near_point>;

} // namespace

struct hnsw_segment::graph : hnswlib::HierarchicalNSW<float> {
  using base_graph = hnswlib::HierarchicalNSW<float>;

  graph(std::unique_ptr<code_space> s, std::size_t capacity, const parameters& p)
      : base_graph(s.get(), capacity, p.m, p.ef_construction), space(std::move(s)) {}

  /// The first points of this still empty graph become those of `other`.
  void copy_from(const graph& other) {
    const std::size_t count = other.cur_element_count;
    ensure(cur_element_count == 0 && count <= max_elements_, "a copy has room for its original");
    std::copy_n(other.data_level0_memory_, count * size_data_per_element_, data_level0_memory_);
    for (std::size_t i = 0; i < count; ++i) {
      const int level = other.element_levels_[i];
      if (level > 0) {
        const std::size_t bytes = size_links_per_element_ * static_cast<std::size_t>(level) + 1;
        linkLists_[i] = static_cast<char*>(std::malloc(bytes));
        if (linkLists_[i] == nullptr) throw std::bad_alloc();
        std::copy_n(other.linkLists_[i], bytes, linkLists_[i]);
      }
      element_levels_[i] = level;
      ++cur_element_count; // so that the destructor frees what is there
    }
    maxlevel_ = other.maxlevel_;
    enterpoint_node_ = other.enterpoint_node_;
  }

  void insert(const graph_point& point, std::uint32_t label, int level) {
    // A level of 0 cannot be asked for: it is what a draw times zero gives.
    mult_ = 0;
    level_generator_.seed(1);
    addPoint(&point, label, level);
  }

  [[nodiscard]] std::span<const std::uint32_t> links(std::uint32_t point, int level) const {
    hnswlib::linklistsizeint* list = get_linklist_at_level(point, level);
    return {list + 1, getListCount(list)};
  }

  std::unique_ptr<code_space> space;
};

hnsw_segment::hnsw_segment(const vector_rows& rows, std::uint32_t begin, std::uint32_t end,
                           std::unique_ptr<graph> links)
    : rows_(rows), begin_(begin), end_(end), links_(std::move(links)) {
}
hnsw_segment::~hnsw_segment() = default;

std::unique_ptr<hnsw_segment> hnsw_segment::extend(const hnsw_segment* base,
                                                   const vector_rows& rows, std::uint32_t begin,
                                                   std::uint32_t end, const parameters& p,
                                                   const std::atomic<bool>& stop) try {
  ensure(base == nullptr || (base->begin_ == begin && base->end_ <= end),
         "a segment is extended at its end");
  ensure(begin < end && end <= rows.size(), "a segment is over vectors that are there");
  auto links =
      std::make_unique<graph>(std::make_unique<code_space>(rows.code_count()), end - begin, p);
  if (base != nullptr) links->copy_from(*base->links_);
  for (std::uint32_t i = base == nullptr ? begin : base->end_; i < end; ++i) {
    if (stop.load(std::memory_order_relaxed)) return nullptr;
    links->insert({.codes = rows.codes(i), .factor = rows.scale(i).factor, .unused = 0}, i - begin,
                  level_of(i, p.m));
  }
  return std::unique_ptr<hnsw_segment>(new hnsw_segment(rows, begin, end, std::move(links)));
} catch (const std::exception&) {
  return nullptr;
}

bool hnsw_segment::search(const prepared_query& query, std::size_t ef, std::uint64_t compared_max,
                          const std::function<bool(slot_no)>& accept,
                          std::vector<std::uint32_t>& positions) const {
  ensure(ef > 0, "a search keeps something");
  ensure(links_->enterpoint_node_ < end_ - begin_, "a graph is entered at a point of its own");
  const auto measure = [&](std::uint32_t point) {
    return near_point{query.estimate(rows_, begin_ + point), point};
  };
  near_point at = measure(links_->enterpoint_node_);
  for (int level = links_->maxlevel_; level > 0; --level) {
    for (bool moved = true; moved;) {
      moved = false;
      for (const std::uint32_t point : links_->links(at.point, level)) {
        const near_point next = measure(point);
        if (next.distance < at.distance) {
          at = next;
          moved = true;
        }
      }
    }
  }

  visited_loan met;
  nearest_first open;
  farthest_first found;
  std::uint64_t compared = 0;
  const auto enter = [&](const near_point& p) {
    if (found.size() == ef && p.distance >= found.top().distance) return;
    open.push(p);
    if (!accept(rows_.slot(begin_ + p.point))) return;
    found.push(p);
    if (found.size() > ef) found.pop();
  };
  (*met).insert(at.point);
  enter(at);
  std::vector<std::uint32_t> fresh;
  while (!open.empty()) {
    const near_point nearest = open.top();
    if (found.size() == ef && nearest.distance > found.top().distance) break;
    open.pop();
    fresh.clear();
    for (const std::uint32_t point : links_->links(nearest.point, 0)) {
      if (!(*met).insert(point)) continue;
      fresh.push_back(point);
      rows_.prefetch_codes(begin_ + point);
    }
    compared += fresh.size();
    if (compared > compared_max) return false;
    for (const std::uint32_t point : fresh) enter(measure(point));
  }
  for (; !found.empty(); found.pop()) positions.push_back(begin_ + found.top().point);
  return true;
}

} // namespace mneme
