#include "index/vectors/hnsw_segment.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <queue>
#include <ranges>

#include "index/graph/visited_nodes.hpp"
#include "messages/ensure.hpp"

namespace mneme {

hnsw_segment::hnsw_segment(const vector_rows& rows, std::uint32_t begin, std::uint32_t end,
                           segment_points points, segment_links links)
    : rows_(rows), begin_(begin), end_(end), points_(std::move(points)), links_(std::move(links)) {
  ensure(points_.size() == links_.size(), "each point has its links");
}

std::unique_ptr<hnsw_segment> hnsw_segment::extend(const hnsw_segment* base,
                                                   const vector_rows& rows, std::uint32_t begin,
                                                   std::uint32_t end, const graph_parameters& p,
                                                   const std::atomic<bool>& stop) try {
  ensure(base == nullptr || (base->begin_ == begin && base->end_ <= end),
         "a segment is extended at its end");
  ensure(begin < end && end <= rows.size(), "a segment is over vectors that are there");
  segment_points points(rows, begin, end);
  auto links = build_links(base == nullptr ? nullptr : &base->links_, rows, points, p, stop);
  if (!links) return nullptr;
  return std::unique_ptr<hnsw_segment>(
      new hnsw_segment(rows, begin, end, std::move(points), std::move(*links)));
} catch (const std::bad_alloc&) {
  return nullptr;
}

void hnsw_segment::write(image_writer& out) const {
  out.put(end_);
  points_.write(out);
  links_.write(out);
}

std::unique_ptr<hnsw_segment> hnsw_segment::read(image_reader& in, const vector_rows& rows,
                                                 std::uint32_t begin,
                                                 const segment_links::saved_form& form) {
  const auto end = in.get<std::uint32_t>();
  if (!in.ok() || end <= begin || end > rows.size()) return nullptr;
  auto points = segment_points::read(in, rows, begin, end);
  if (!points) return nullptr;
  auto links = segment_links::read(in, points->size(), form);
  if (!links) return nullptr;
  return std::unique_ptr<hnsw_segment>(
      new hnsw_segment(rows, begin, end, std::move(*points), std::move(*links)));
}

struct hnsw_segment::near_point {
  float distance;
  std::uint32_t point;
  friend auto operator<=>(const near_point&, const near_point&) = default;

  static near_point of(const hnsw_segment& graph, const prepared_query& query,
                       std::uint32_t point) {
    return {query.estimate(graph.rows_, graph.points_.first(point)), point};
  }
};

/// The nearest few that a walk has met, nearest first.
class hnsw_segment::nearest_few {
public:
  nearest_few() { kept_.reserve(width + 1); }

  void offer(const near_point& p) {
    if (kept_.size() == width && !(p < kept_.back().near)) return;
    kept_.insert(std::ranges::upper_bound(kept_, p, {}, &candidate::near), {p});
    if (kept_.size() > width) kept_.pop_back();
  }
  /// The nearest that the walk did not go on from yet, nor will again.
  std::optional<near_point> next() {
    const auto at = std::ranges::find(kept_, false, &candidate::is_behind);
    if (at == kept_.end()) return {};
    at->is_behind = true;
    return at->near;
  }
  /// On the next level all are gone on from.
  void restart() {
    for (candidate& c : kept_) c.is_behind = false;
  }
  [[nodiscard]] auto all() const { return std::views::transform(kept_, &candidate::near); }

private:
  static constexpr std::size_t width = 4;
  struct candidate {
    near_point near;
    bool is_behind = false;
  };
  std::vector<candidate> kept_;
};

// One alone would get stuck at the edge of a wrong cluster, which has no link to the right one, the
// more often the more clusters there are and the fewer points a level has of each. Of 1,000,000
// vectors in 200 clusters four find as many as eight or sixteen do, and two miss 1.6 % more.
hnsw_segment::nearest_few hnsw_segment::descend(const prepared_query& query) const {
  nearest_few nearest;
  nearest.offer(near_point::of(*this, query, links_.entry()));
  visited_loan met;
  std::vector<std::uint32_t> fresh;
  for (std::uint32_t level = links_.level(links_.entry()); level > 0; --level) {
    (*met).clear();
    nearest.restart();
    for (const near_point& p : nearest.all()) (*met).insert(p.point);
    while (const auto at = nearest.next()) {
      meet(at->point, level, *met, fresh);
      for (const std::uint32_t point : fresh) nearest.offer(near_point::of(*this, query, point));
    }
  }
  return nearest;
}

void hnsw_segment::meet(std::uint32_t point, std::uint32_t level, visited_nodes& met,
                        std::vector<std::uint32_t>& fresh) const {
  fresh.clear();
  for (const std::uint32_t linked : links_.row(point, level)) {
    if (linked == no_number) return;
    if (!met.insert(linked)) continue;
    fresh.push_back(linked);
    rows_.prefetch_codes(points_.first(linked));
  }
}

bool hnsw_segment::search(const prepared_query& query, std::size_t ef, std::size_t k,
                          std::uint64_t compared_max, const std::function<bool(slot_no)>& accept,
                          asking asked, std::vector<std::uint32_t>& positions) const {
  ensure(ef >= k && k > 0, "a search keeps what it is asked for");
  const nearest_few starts = descend(query);
  visited_loan met;
  std::priority_queue<near_point, std::vector<near_point>, std::greater<>> open;
  std::priority_queue<near_point> found;
  std::uint64_t looked_at = 0;
  const auto passes = [&](std::uint32_t position) { return accept(rows_.slot(position)); };
  const auto any_passes = [&](std::uint32_t point) {
    if (asked == asking::later || passes(points_.first(point))) return true;
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
  for (const near_point& p : starts.all()) {
    (*met).insert(p.point);
    enter(p);
  }
  std::vector<std::uint32_t> fresh;
  while (!open.empty()) {
    const near_point nearest = open.top();
    if (found.size() == ef && nearest.distance > found.top().distance) break;
    open.pop();
    if (!open.empty()) links_.prefetch(open.top().point); // most often the next
    meet(nearest.point, 0, *met, fresh);
    looked_at += fresh.size();
    if (looked_at > compared_max) return false;
    for (const std::uint32_t point : fresh) enter(near_point::of(*this, query, point));
  }
  std::vector<near_point> nearest(found.size());
  for (std::size_t i = found.size(); i-- > 0; found.pop()) nearest[i] = found.top();
  append_vectors(nearest, ef, k, accept, asked, positions);
  return true;
}

// As many of each point as may be asked for: the codes do not tell which of two points that are
// about as near is nearer, and all k may be of that one.
void hnsw_segment::append_vectors(std::span<const near_point> points, std::size_t ef, std::size_t k,
                                  const std::function<bool(slot_no)>& accept, asking asked,
                                  std::vector<std::uint32_t>& positions) const {
  std::size_t appended = 0;
  float open_to = std::numeric_limits<float>::infinity(); ///< the k-th is no farther than this
  for (const near_point& p : points) {
    const float error = rows_.scale(points_.first(p.point)).error;
    if (appended >= ef && p.distance - error > open_to) return;
    std::size_t left = k;
    const auto further = points_.further(p.point);
    const bool is_asked = asked == asking::on_the_way || !further.empty();
    const auto append = [&](std::uint32_t position) {
      if (is_asked && !accept(rows_.slot(position))) return;
      positions.push_back(position);
      if (++appended == k) open_to = p.distance + error;
      --left;
    };
    append(points_.first(p.point));
    for (const std::uint32_t position : further) {
      if (left == 0) break;
      append(position);
    }
  }
}

} // namespace mneme
