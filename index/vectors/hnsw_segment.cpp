#include "index/vectors/hnsw_segment.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
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
                           segment_points points, std::unique_ptr<graph> links)
    : rows_(rows), begin_(begin), end_(end), points_(std::move(points)), links_(std::move(links)) {
}
hnsw_segment::~hnsw_segment() = default;

std::unique_ptr<hnsw_segment> hnsw_segment::extend(const hnsw_segment* base,
                                                   const vector_rows& rows, std::uint32_t begin,
                                                   std::uint32_t end, const parameters& p,
                                                   const std::atomic<bool>& stop) try {
  ensure(base == nullptr || (base->begin_ == begin && base->end_ <= end),
         "a segment is extended at its end");
  ensure(begin < end && end <= rows.size(), "a segment is over vectors that are there");
  segment_points points(rows, begin, end);
  auto links =
      std::make_unique<graph>(std::make_unique<code_space>(rows.code_count()), points.size(), p);
  if (base != nullptr) links->copy_from(*base->links_);
  for (std::uint32_t i = base == nullptr ? 0 : base->points_.size(); i < points.size(); ++i) {
    if (stop.load(std::memory_order_relaxed)) return nullptr;
    const std::uint32_t at = points.first(i);
    links->insert({.codes = rows.codes(at), .factor = rows.scale(at).factor, .unused = 0}, i,
                  level_of(at, p.m));
  }
  return std::unique_ptr<hnsw_segment>(
      new hnsw_segment(rows, begin, end, std::move(points), std::move(links)));
} catch (const std::exception&) {
  return nullptr;
}

struct hnsw_segment::near_point {
  float distance;
  std::uint32_t point;
  friend auto operator<=>(const near_point&, const near_point&) = default;
};

bool hnsw_segment::search(const prepared_query& query, std::size_t ef, std::size_t k,
                          std::uint64_t compared_max, const std::function<bool(slot_no)>& accept,
                          std::vector<std::uint32_t>& positions) const {
  ensure(ef >= k && k > 0, "a search keeps what it is asked for");
  ensure(links_->enterpoint_node_ < points_.size(), "a graph is entered at a point of its own");
  const auto measure = [&](std::uint32_t point) {
    return near_point{query.estimate(rows_, points_.first(point)), point};
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
  std::priority_queue<near_point, std::vector<near_point>, std::greater<>> open;
  std::priority_queue<near_point> found;
  std::uint64_t looked_at = 0;
  const auto passes = [&](std::uint32_t position) { return accept(rows_.slot(position)); };
  const auto any_passes = [&](std::uint32_t point) {
    if (passes(points_.first(point))) return true;
    const auto further = points_.further(point);
    const auto passing = std::ranges::find_if(further, passes);
    looked_at += static_cast<std::uint64_t>(passing - further.begin());
    return passing != further.end();
  };
  const auto enter = [&](const near_point& p) {
    if (found.size() == ef && p.distance >= found.top().distance) return;
    open.push(p);
    if (!any_passes(p.point)) return;
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
      rows_.prefetch_codes(points_.first(point));
    }
    looked_at += fresh.size();
    if (looked_at > compared_max) return false;
    for (const std::uint32_t point : fresh) enter(measure(point));
  }
  std::vector<near_point> nearest(found.size());
  for (std::size_t i = found.size(); i-- > 0; found.pop()) nearest[i] = found.top();
  append_vectors(nearest, ef, k, accept, positions);
  return true;
}

// As many of each point as may be asked for: the codes do not tell which of two points that are
// about as near is nearer, and all k may be of that one.
void hnsw_segment::append_vectors(std::span<const near_point> points, std::size_t ef, std::size_t k,
                                  const std::function<bool(slot_no)>& accept,
                                  std::vector<std::uint32_t>& positions) const {
  std::size_t appended = 0;
  float open_to = std::numeric_limits<float>::infinity(); ///< the k-th is no farther than this
  for (const near_point& p : points) {
    const float error = rows_.scale(points_.first(p.point)).error;
    if (appended >= ef && p.distance - error > open_to) return;
    std::size_t left = k;
    const auto append = [&](std::uint32_t position) {
      if (!accept(rows_.slot(position))) return;
      positions.push_back(position);
      if (++appended == k) open_to = p.distance + error;
      --left;
    };
    append(points_.first(p.point));
    for (const std::uint32_t position : points_.further(p.point)) {
      if (left == 0) break;
      append(position);
    }
  }
}

} // namespace mneme
