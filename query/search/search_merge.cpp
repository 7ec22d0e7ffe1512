/// The stage rank: each leg's window, floors, normalisation, the rule of two chunks a path, and the
/// merge. candidates = below_floor + cut + returned holds at every step.

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "messages/math.hpp"
#include "query/search/newer_first.hpp"
#include "query/search/question_share.hpp"
#include "query/search/search_state.hpp"

namespace mneme {

namespace {

constexpr double raw_floor = 0.3;
constexpr std::size_t chunks_of_a_path = 2;
constexpr std::size_t least_to_normalise = 3;

/// What has at least half of what the best row has is a match beside it, however the others of the
/// window spread the scores: of three that are all good, the last is normalised to 0.
constexpr double good_share_of_best = 0.5;

/// By a number of the row, larger first.
auto descending(double leg_row::* by, const tie_order& tie) {
  return [by, &tie](const leg_row& a, const leg_row& b) {
    return a.*by != b.*by ? a.*by > b.*by : tie(a, b);
  };
}

void normalise(std::vector<leg_row>& rows) {
  if (rows.empty()) return;
  const auto [least, most] = std::ranges::minmax(rows, {}, &leg_row::mixed);
  const double from = least.mixed;
  const double span = most.mixed - from;
  for (auto& r : rows) r.score = span > 0 ? (r.mixed - from) / span : 1.0;
}

/// 0.5^(age / 90 days)
double halved_by_age(std::int64_t age_ns) {
  constexpr double half_life_ns = 90.0 * 86'400e9;
  constexpr double ln2 = 0.693147180559945309417;
  return stable_exp(-ln2 * (static_cast<double>(age_ns) / half_life_ns));
}

std::int64_t count(std::size_t n) {
  return static_cast<std::int64_t>(n);
}

/// A floor above the share asks for more than that of the best.
void drop_below_floor(search_leg& leg, double floor) {
  if (leg.rows.empty()) return;
  const double best = std::ranges::max(leg.rows, {}, &leg_row::raw).raw;
  const double good = std::max(floor, good_share_of_best) * best;
  leg.coverage.below_floor += count(std::erase_if(leg.rows, [&](const leg_row& r) {
    return !r.is_all_asked && (leg.floor_on_raw ? r.raw : r.score) < floor && r.raw < good;
  }));
}

} // namespace

double search_state::recency_of(row_no row, const read_views& views) const {
  const std::int64_t created = views.attributes->rows().line(row).created_at_ns;
  return halved_by_age(std::max<std::int64_t>(0, context.now.ns - created));
}

void search_state::narrow(search_leg& leg, const read_views& views) {
  const tie_order tie(views);
  // Of a question of a time or a speaker alone these are what matches.
  const bool is_memory = leg.of == corpus::memories;
  const bool is_asked_alone = is_memory && (dated || !said.empty());
  if (is_asked_alone) add_circumstances(leg.rows, views);
  std::erase_if(leg.rows, [](const leg_row& r) { return !(r.raw > 0); });
  const auto kept = std::min<std::uint64_t>(leg.rows.size(), static_cast<std::uint64_t>(window()));
  const auto end = leg.rows.begin() + static_cast<std::ptrdiff_t>(kept);
  std::ranges::partial_sort(leg.rows, end, descending(&leg_row::raw, tie));
  leg.rows.erase(end, leg.rows.end());
  leg.coverage.candidates = count(leg.rows.size());
  if (is_memory && !is_asked_alone) add_circumstances(leg.rows, views);
  add_matches(leg, views);
  // Beside what a speaker said stands what tells of him, and not what is a little like the
  // question.
  if (is_memory && !said.empty() && request.similarity_floor > 0)
    leg.coverage.below_floor += count(std::erase_if(leg.rows, [&](const leg_row& r) {
      return !r.is_all_asked && r.match < weights.least_match;
    }));
  const bool is_content = leg.of == corpus::chunks;
  const bool is_hybrid = sort == search_sort::hybrid && !is_content;
  if (is_hybrid || request.explain)
    for (auto& r : leg.rows) r.recency = recency_of(r.row, views);
  leg.floor_on_raw = leg.rows.size() < least_to_normalise;
  if (is_content && !request.include_low_relevance)
    leg.coverage.below_floor +=
        count(std::erase_if(leg.rows, [](const leg_row& r) { return r.raw < raw_floor; }));
  for (auto& r : leg.rows) r.mixed = is_hybrid ? 0.7 * r.raw + 0.3 * r.recency : r.raw;
  normalise(leg.rows);
  if (!is_content) return;
  std::ranges::sort(leg.rows, descending(&leg_row::score, tie));
  std::unordered_map<std::uint32_t, std::size_t> of_path; // only asked: its order shows nowhere
  leg.coverage.cut += count(std::erase_if(leg.rows, [&](const leg_row& r) {
    return ++of_path[views.attributes->facets(r.row).path] > chunks_of_a_path;
  }));
}

void search_state::drop_bad_matches() {
  // Who asks for what was on a day, or for the newest, need not have any word of it.
  const bool is_by_time = sort == search_sort::recency || sort == search_sort::updated;
  double& best = answer.coverage.best_match;
  bool had_any = false;
  bool has_any = false;
  for (search_leg* leg : {&memory, &content}) {
    if (leg->rows.empty()) continue;
    had_any = true;
    // Each leg for itself: its scores are relative, and would lift the best of nothing to 1.
    const double most = std::ranges::max(leg->rows, {}, &leg_row::match).match;
    best = std::max(best, most);
    const bool has_date =
        std::ranges::any_of(leg->rows, [](const leg_row& r) { return r.dates > 0; });
    if (request.similarity_floor == 0 || most >= weights.least_match || is_by_time || has_date) {
      has_any = true;
      continue;
    }
    leg->coverage.below_floor += count(leg->rows.size());
    leg->rows.clear();
  }
  if (had_any && !has_any)
    answer.coverage.notes.push_back(
        fmt::format("no good match: the best has {:.2f} of the question; similarity_floor 0 shows "
                    "what was found",
                    best));
}

result<void> search_state::merge(const read_views& views) {
  const tie_order tie(views);
  for (search_leg* leg : {&memory, &content}) drop_below_floor(*leg, request.similarity_floor);
  const row_store& columns = views.attributes->rows();
  const auto is_chunk = [&](const leg_row& r) {
    return columns.line(r.row).type == memory_type::chunk;
  };
  hits = std::move(memory.rows);
  hits.insert(hits.end(), content.rows.begin(), content.rows.end());
  const bool by_time = sort == search_sort::recency || sort == search_sort::updated;
  const auto time_of = [&](const leg_row& r) {
    return sort == search_sort::updated ? columns.line(r.row).last_updated_at_ns
                                        : columns.line(r.row).created_at_ns;
  };
  std::ranges::sort(hits, [&](const leg_row& a, const leg_row& b) {
    if (by_time && is_chunk(a) != is_chunk(b)) return is_chunk(b);
    if (by_time && !is_chunk(a) && time_of(a) != time_of(b)) return time_of(a) > time_of(b);
    if (a.score != b.score) return a.score > b.score;
    if (is_chunk(a) != is_chunk(b)) return is_chunk(b);
    return tie(a, b);
  });
  // Before the cut: who asks for the best one wants the newer.
  if (!by_time && weights.newer > 0) {
    const question_share share(terms, weights, *views.lexical);
    const newer_rule rule{.least = weights.newer, .now = instant()};
    if (auto ok = put_newer_first(hits, share, rule, *this, views); !ok) return ok;
  }
  behind.clear();
  while (count(hits.size()) > request.limit) {
    ++(is_chunk(hits.back()) ? content : memory).coverage.cut;
    behind.push_back(hits.back());
    hits.pop_back();
  }
  return {};
}

result<void> search_state::run_rank(const read_views& views) {
  std::optional<compared_query> compared;
  for (search_leg* leg : {&memory, &content}) {
    if (auto ok = score_rows(*leg, views, compared); !ok) return ok;
    if (auto ok = time.check(); !ok) return ok;
    narrow(*leg, views);
  }
  drop_bad_matches();
  if (auto ok = merge(views); !ok) return ok;
  stage = search_stage::fetch;
  return request.include_ended ? result<void>{} : leave_out_past_topics(views);
}

} // namespace mneme
