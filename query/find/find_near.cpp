/// The stage near: distances of the candidates, or the vectors' own proposals where nearly
/// everything passes.

#include <algorithm>
#include <functional>

#include "messages/ensure.hpp"
#include "query/find/find_state.hpp"

namespace mneme {

namespace {

/// Slots as a set: a bit for each. Not a Roaring bitmap, which takes twice as long to fill and,
/// where few of many slots are allowed, 50 ns a look instead of one, in the innermost loop of a
/// scan.
class slot_set {
public:
  explicit slot_set(const std::vector<candidate>& rows) {
    std::uint32_t most = 0;
    for (const auto& c : rows) most = std::max(most, c.slot.value);
    words_.resize(most / 64 + 1);
    for (const auto& c : rows) words_[c.slot.value / 64] |= 1ULL << (c.slot.value % 64);
  }
  [[nodiscard]] bool contains(slot_no slot) const {
    const std::size_t word = slot.value / 64;
    return word < words_.size() && ((words_[word] >> (slot.value % 64)) & 1U) != 0;
  }

private:
  std::vector<std::uint64_t> words_;
};

/// One nearest-neighbour search over the vectors of one read.
class near_search {
public:
  near_search(const find_state& run, const read_views& views) : run_(run), views_(views) {}

  [[nodiscard]] bool may_use_hnsw() const { return !run_.request.exact && !run_.request.at_seq; }
  [[nodiscard]] std::size_t kept() const {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(near_count(run_.request), views_.vectors->size()));
  }
  template <class Accept>
  std::vector<near_hit> nearest_exact(const Accept& accept) {
    return views_.vectors->nearest_exact(run_.near_query, kept(), {accept, are_over_}, tie_,
                                         run_.time.goes_on());
  }
  /// Sets `used_hnsw`.
  template <class Accept>
  std::vector<near_hit> nearest(const Accept& accept, std::uint64_t expected, bool& used_hnsw) {
    used_hnsw = false;
    if (!may_use_hnsw()) return nearest_exact(accept);
    return views_.vectors->nearest(run_.near_query, kept(), expected, {accept, are_over_}, tie_,
                                   used_hnsw, run_.time.goes_on());
  }
  /// The nearest of the rows, exactly.
  std::vector<near_hit> nearest_of(const std::vector<candidate>& rows) {
    // Where a good part of all vectors is asked for, passing over the others costs less than
    // looking each one up.
    constexpr std::uint64_t good_part = 4;
    if (rows.size() * good_part >= views_.vectors->size()) {
      const slot_set allowed(rows);
      return nearest_exact([&](slot_no slot) { return allowed.contains(slot); });
    }
    std::vector<slot_no> slots;
    slots.reserve(rows.size());
    for (const auto& c : rows) slots.push_back(c.slot);
    return views_.vectors->nearest_of(run_.near_query, slots, kept(), tie_, run_.time.goes_on());
  }
  [[nodiscard]] row_no row_of(slot_no slot) const {
    return views_.attributes->row_of_slot(slot, run_.context.at);
  }

private:
  const find_state& run_;
  const read_views& views_;
  slots_left_out are_over_ = slots_over(views_, run_.context.at);
  std::function<memory_id(slot_no)> tie_ = [this](slot_no slot) {
    const row_no row = row_of(slot);
    ensure(row.value != no_number, "what is near has a row at the seq read");
    return views_.nodes->id(views_.attributes->node(row));
  };
};

/// Distances of all rows; rows without a vector are dropped.
void measure(std::vector<candidate>& rows, const std::vector<float>& query, const vectors& all,
             const deadline& time) {
  std::vector<slot_no> slots;
  slots.reserve(rows.size());
  for (const auto& c : rows) slots.push_back(c.slot);
  const auto hits = all.distances(query, slots, time.goes_on());
  std::size_t kept = 0;
  for (const auto& c : rows) {
    if (kept == hits.size()) break;
    if (hits[kept].slot != c.slot) continue;
    rows[kept] = c;
    rows[kept].distance = hits[kept].distance;
    ++kept;
  }
  rows.resize(kept);
}

} // namespace

result<void> find_state::run_near(const read_views& views) {
  const std::int64_t since = context.stopwatch_ns();
  near_search search(*this, views);
  std::uint64_t entered = rows.size();
  bool used_hnsw = false;
  if (near_direct) {
    const row_filter filter(request, who, context, views, predicate_or_null(), distrusted);
    std::uint64_t scanned = 0;
    const auto accept = [&](slot_no slot) {
      const row_no row = search.row_of(slot);
      // What an actor may not see does not show in its counts.
      const bool is_shown = who.sees_all() || (row.value != no_number && filter.visible(row));
      scanned += is_shown ? 1 : 0;
      return row.value != no_number && filter.test_alive(row) == verdict::yes;
    };
    const auto hits = near_listed != 0 ? search.nearest_exact(accept)
                                       : search.nearest(accept, near_expected, used_hnsw);
    for (const near_hit& hit : hits) {
      candidate c = candidate_of(search.row_of(hit.slot), *views.attributes, request.as_of);
      c.distance = hit.distance;
      rows.push_back(c);
    }
    entered = near_listed != 0 ? near_listed : std::max<std::uint64_t>(scanned, rows.size());
    answer.candidates_scanned = static_cast<std::int64_t>(entered);
  } else if (!views.vectors->are_few(rows.size()) && !some_open && search.may_use_hnsw()) {
    const slot_set allowed(rows);
    const auto accept = [&](slot_no slot) { return allowed.contains(slot); };
    const auto hits = search.nearest(accept, rows.size(), used_hnsw);
    keep_hits(hits);
  } else if (!some_open && search.kept() < rows.size()) {
    keep_hits(search.nearest_of(rows));
  } else {
    measure(rows, near_query, *views.vectors, time);
  }
  if (used_hnsw) answer.near_mode = near_mode::hnsw;
  note("near", used_hnsw ? "hnsw" : "exact", entered, rows.size(), since);
  if (auto ok = time.check(); !ok) return ok;
  return selected(views);
}

void find_state::keep_hits(std::span<const near_hit> hits) {
  // Few hits, many rows: the rows are looked up by slot, and most have a slot whose last bits no
  // hit has.
  std::vector<near_hit> by_slot(hits.begin(), hits.end());
  std::ranges::sort(by_slot, {}, &near_hit::slot);
  std::uint64_t last_bits = 0;
  for (const near_hit& hit : hits) last_bits |= 1ULL << (hit.slot.value % 64);
  std::size_t kept = 0;
  for (const auto& c : rows) {
    if (((last_bits >> (c.slot.value % 64)) & 1U) == 0) continue;
    const auto hit = std::ranges::lower_bound(by_slot, c.slot, {}, &near_hit::slot);
    if (hit == by_slot.end() || hit->slot != c.slot) continue;
    rows[kept] = c;
    rows[kept].distance = hit->distance;
    ++kept;
  }
  rows.resize(kept);
}

} // namespace mneme
