#include <algorithm>
#include <array>

#include "index/vectors/compared_query.hpp"
#include "index/vectors/vectors_state.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Scattered rows are asked for this far ahead of their use.
constexpr std::size_t ahead = 8;
/// Up to so many slots the true distances are computed at once.
constexpr std::size_t bounded_min = 64;
/// Rows whose bounds are computed at once.
constexpr std::uint32_t scan_rows = 256;
/// A graph search that keeps `ef` candidates costs about as much as an exact scan of this many
/// vectors per candidate.
constexpr std::uint64_t scanned_per_ef = 160;

/// A row and the upper bound of its cosine.
struct bounded_row {
  float bound;
  std::uint32_t position;
};

/// From here on a graph that walks through what is not accepted costs less than passing over all
/// vectors: both grow as fast with how many there are. By measurement, rounded.
constexpr std::uint64_t proposed_min = 12'000;

} // namespace

// The true distance is computed only where the bound from the codes leaves it open.
void vectors::impl::scan(const prepared_query& query, std::uint32_t begin, std::uint32_t end,
                         const slot_filter& asked, nearest_collector& nearest,
                         const goes_on_check& goes_on) const {
  ensure(begin <= end && end <= rows.size(), "a scan goes over vectors that are there");
  std::array<float, scan_rows> bounds;
  while (begin != end && (!goes_on || goes_on())) {
    const std::uint32_t count = std::min({scan_rows, end - begin, vector_rows::run_length(begin)});
    const slot_no behind{rows.slot(begin + count - 1).value + 1};
    if (asked.leaves_out(rows.slot(begin), behind)) {
      begin += count;
      continue;
    }
    query.bound(rows, begin, count, bounds.data());
    for (std::uint32_t i = 0; i < count; ++i) {
      if (bounds[i] < nearest.least_cosine()) continue;
      const slot_no slot = rows.slot(begin + i);
      if (asked.accepts(slot)) nearest.offer(slot, query.distance(rows, begin + i));
    }
    begin += count;
  }
}

// Bounds first: the k best of them make nearly all others hopeless.
void vectors::impl::offer_best(const prepared_query& query, std::span<const slot_no> slots,
                               std::size_t k, nearest_collector& nearest,
                               const goes_on_check& goes_on) const {
  std::vector<bounded_row> all;
  all.reserve(slots.size());
  for (const slot_no slot : slots)
    if (const std::uint32_t at = rows.position_of(slot); at != no_number) all.push_back({0, at});
  loop_watch watch(goes_on);
  for (std::size_t i = 0; i < std::min(ahead, all.size()); ++i)
    rows.prefetch_codes(all[i].position);
  for (std::size_t i = 0; i < all.size() && watch.goes_on(); ++i) {
    if (i + ahead < all.size()) rows.prefetch_codes(all[i + ahead].position);
    query.bound(rows, all[i].position, 1, &all[i].bound);
  }
  const auto rest = all.begin() + static_cast<std::ptrdiff_t>(std::min(k, all.size()));
  std::ranges::nth_element(all, rest, std::ranges::greater(), &bounded_row::bound);
  for (auto it = all.begin(); it != rest; ++it) rows.prefetch_values(it->position);
  for (const bounded_row& row : all) {
    if (!watch.goes_on()) return;
    if (row.bound >= nearest.least_cosine())
      nearest.offer(rows.slot(row.position), query.distance(rows, row.position));
  }
}

// The nearest of each graph come first: behind the first k the bound from the codes, which are at
// hand, rules out most, and those need not be asked about.
bool vectors::impl::offer_found(const prepared_query& query,
                                std::span<const std::uint32_t> positions,
                                const std::function<bool(slot_no)>& accept, std::size_t k,
                                nearest_collector& nearest) const {
  for (const std::uint32_t at : positions.first(std::min(2 * k, positions.size())))
    rows.prefetch_values(at);
  std::size_t passed = 0;
  std::size_t refused = 0;
  for (const std::uint32_t at : positions) {
    float bound = 0;
    query.bound(rows, at, 1, &bound);
    if (bound < nearest.least_cosine()) continue;
    const slot_no slot = rows.slot(at);
    if (accept(slot)) {
      nearest.offer(slot, query.distance(rows, at));
      ++passed;
    } else {
      ++refused;
    }
  }
  return refused <= passed;
}

std::optional<std::vector<near_hit>>
vectors::impl::search_segments(const prepared_query& query, std::size_t k, std::uint64_t expected,
                               const slot_filter& asked_for,
                               const std::function<memory_id(slot_no)>& tie,
                               const goes_on_check& goes_on) const {
  const auto segments = builder.segments();
  const std::uint32_t size = rows.size();
  // What a filter takes away is walked through: look wider where it takes much.
  const std::size_t wide = expected < size / 2 ? 2 : 1;
  const std::size_t ef = std::max<std::size_t>(options.ef_search * wide, 2 * k);
  if (segments->empty() || ef * scanned_per_ef > size) return {};
  const auto search = [&](hnsw_segment::asking asked) -> std::optional<std::vector<near_hit>> {
    std::vector<std::uint32_t> positions;
    for (const auto& segment : *segments) {
      const std::uint64_t compared_max = (segment->end() - segment->begin()) / 3;
      if (!segment->search(query, ef, k, compared_max, asked_for.accept(), asked, positions))
        return {};
    }
    nearest_collector nearest(k, tie);
    if (!offer_found(query, positions, asked_for.accept(), k, nearest)) return {};
    scan(query, segments->back()->end(), size, asked_for, nearest, goes_on);
    auto hits = nearest.take();
    // Too few can mean that parts of a graph were out of reach; the scan knows.
    if (hits.size() < k) return {};
    return hits;
  };
  // Where nearly all pass, few have to be asked about, unless those that do not lie together here.
  if (expected >= size - size / 8)
    if (auto hits = search(hnsw_segment::asking::later)) return hits;
  return search(hnsw_segment::asking::on_the_way);
}

std::vector<near_hit> vectors::distances(std::span<const float> query,
                                         std::span<const slot_no> slots,
                                         const goes_on_check& goes_on) const {
  std::vector<near_hit> hits;
  if (!impl_->fits(query)) return hits;
  const vector_rows& rows = impl_->rows;
  const double norm = norm_f64(query.data(), query.size());
  hits.reserve(slots.size());
  loop_watch watch(goes_on);
  for (std::size_t i = 0; i < slots.size() && watch.goes_on(); ++i) {
    if (i + ahead < slots.size()) {
      const std::uint32_t later = rows.position_of(slots[i + ahead]);
      if (later != no_number) rows.prefetch_values(later);
    }
    const std::uint32_t position = rows.position_of(slots[i]);
    if (position == no_number) continue;
    const double dot = dot_f64(query.data(), rows.values(position).data(), query.size());
    hits.push_back({slots[i], distance_of(dot, norm, rows.norm(position))});
  }
  return hits;
}

std::vector<near_hit> vectors::nearest_of(std::span<const float> query,
                                          std::span<const slot_no> slots, std::size_t k,
                                          const std::function<memory_id(slot_no)>& tie,
                                          const goes_on_check& goes_on) const {
  if (!impl_->fits(query) || k == 0) return {};
  nearest_collector nearest(k, tie);
  if (slots.size() <= bounded_min || slots.size() <= 2 * k)
    for (const near_hit& hit : distances(query, slots, goes_on))
      nearest.offer(hit.slot, hit.distance);
  else
    impl_->offer_best(prepared_query(query, impl_->rows.code_count()), slots, k, nearest, goes_on);
  return nearest.take();
}

// A walk costs as much as 1,600 slots where all pass, by measurement, and the more the fewer pass.
bool vectors::are_few(std::uint64_t slots) const {
  constexpr std::uint64_t slots_per_walk = 1600;
  return slots < proposed_min || slots * slots <= slots_per_walk * size();
}

compared_query vectors::compare(std::span<const float> query, const goes_on_check& goes_on,
                                const slots_left_out& left_out) const {
  return impl_->fits(query) ? compared_query(impl_->rows, query, goes_on, left_out)
                            : compared_query();
}

std::vector<near_hit> vectors::nearest_exact(std::span<const float> query, std::size_t k,
                                             const slot_filter& asked,
                                             const std::function<memory_id(slot_no)>& tie,
                                             const goes_on_check& goes_on) const {
  if (!impl_->fits(query) || k == 0) return {};
  nearest_collector nearest(k, tie);
  impl_->scan(prepared_query(query, impl_->rows.code_count()), 0, impl_->rows.size(), asked,
              nearest, goes_on);
  return nearest.take();
}

std::vector<near_hit> vectors::nearest(std::span<const float> query, std::size_t k,
                                       std::uint64_t expected, const slot_filter& asked,
                                       const std::function<memory_id(slot_no)>& tie,
                                       bool& used_hnsw, const goes_on_check& goes_on) const {
  used_hnsw = false;
  if (!impl_->fits(query) || k == 0) return {};
  if (expected >= proposed_min) {
    const prepared_query prepared(query, impl_->rows.code_count());
    if (auto hits = impl_->search_segments(prepared, k, expected, asked, tie, goes_on)) {
      used_hnsw = true;
      return std::move(*hits);
    }
  }
  return nearest_exact(query, k, asked, tie, goes_on);
}

} // namespace mneme
