#include "bench/workloads/truth.hpp"

#include <algorithm>
#include <cmath>

#include "bench/workloads/dot.hpp"

namespace mneme::workloads {

namespace {

const dot_function dot = fastest_dot();

/// Lowest score first, ties by number.
template <class Score>
rows first_by(std::vector<std::pair<Score, std::uint32_t>>& scored, std::size_t k) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(k, scored.size()));
  std::partial_sort(scored.begin(), scored.begin() + count, scored.end());
  rows first;
  for (auto it = scored.begin(); it != scored.begin() + count; ++it) first.push_back(it->second);
  return first;
}

struct salience_shares {
  double recency = 0.25;
  double access = 0.15;
  double importance = 0.20;
  double without_near = 0.25 + 0.15 + 0.30 + 0.20;
  double similarity = 0.10;
};

/// Not yet divided by the sum of the weights.
double weighed(const row& r) {
  constexpr salience_shares share;
  constexpr double span = 90.0 * static_cast<double>(day_ns);
  const double age = static_cast<double>(std::max<std::int64_t>(0, query_time.ns - r.last_used.ns));
  double sum = share.recency * std::exp(-age / span) + share.importance * r.importance / 10.0;
  if (r.access_count > 0)
    sum += share.access * std::log1p(std::min(r.access_count, 1000U)) / std::log(1001.0);
  return sum;
}

/// Cache lines of a vector some rows ahead, when rows come in no order that a machine foresees.
void prefetch_vector(const dataset& d, std::uint32_t i) {
  const auto* line = reinterpret_cast<const char*>(d.vector_of(i));
  for (std::size_t at = 0; at < dimension * sizeof(float); at += 64)
    __builtin_prefetch(line + at, 0, 3);
}

} // namespace

rows nearest_of(const dataset& d, const float* vector, const rows& among, std::size_t k) {
  constexpr std::size_t ahead = 4;
  std::vector<std::pair<float, std::uint32_t>> scored;
  scored.reserve(among.size());
  for (std::size_t at = 0; at < among.size(); ++at) {
    if (at + ahead < among.size()) prefetch_vector(d, among[at + ahead]);
    scored.emplace_back(-dot(vector, d.vector_of(among[at])), among[at]);
  }
  return first_by(scored, k);
}

rows nearest_of_all(const dataset& d, const float* vector, std::size_t k) {
  std::vector<std::pair<float, std::uint32_t>> best;
  for (std::uint32_t i = 0; i < d.rows.size(); ++i) {
    const float score = -dot(vector, d.vector_of(i));
    if (best.size() == k && score >= best.back().first) continue;
    if (best.size() == k) best.pop_back();
    const std::pair entry(score, i);
    best.insert(std::ranges::upper_bound(best, entry), entry);
  }
  return first_by(best, k);
}

double cosine_of(const dataset& d, const float* vector, std::uint32_t row) {
  return dot(vector, d.vector_of(row));
}

double salience_of(const row& r) {
  return weighed(r) / salience_shares().without_near;
}

double salience_of(const row& r, double cosine) {
  return weighed(r) + salience_shares().similarity * std::clamp(cosine, 0.0, 1.0);
}

rows in_tag_type_time(const dataset& d, const query& q) {
  const auto& posting = d.postings[q.tag_of_find];
  const auto created = [&](std::uint32_t i) { return d.created_ns[i]; };
  rows found;
  for (auto it = std::ranges::lower_bound(posting, q.from.ns, {}, created);
       it != posting.end() && created(*it) < q.until.ns; ++it)
    if (d.types[*it] == q.type) found.push_back(*it);
  return found;
}

rows own_in_tag_type_time(const dataset& d, std::uint32_t actor, const query& q) {
  const auto& own = d.own[actor];
  const auto created = [&](std::uint32_t i) { return d.created_ns[i]; };
  rows found;
  for (auto it = std::ranges::lower_bound(own, q.from.ns, {}, created);
       it != own.end() && created(*it) < q.until.ns; ++it)
    if (d.types[*it] == q.type && std::ranges::count(d.rows[*it].tags, q.tag_of_find) > 0)
      found.push_back(*it);
  return found;
}

rows most_salient(const dataset& d, const rows& among, std::size_t k) {
  std::vector<std::pair<double, std::uint32_t>> scored;
  scored.reserve(among.size());
  for (const auto i : among) scored.emplace_back(-salience_of(d.rows[i]), i);
  return first_by(scored, k);
}

rows most_relevant(const dataset& d, const float* vector, const rows& among, std::size_t k) {
  std::vector<std::pair<double, std::uint32_t>> scored;
  scored.reserve(among.size());
  for (const auto i : among)
    scored.emplace_back(-salience_of(d.rows[i], dot(vector, d.vector_of(i))), i);
  return first_by(scored, k);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> within_three_hops(const dataset& d,
                                                                       const query& q) {
  constexpr std::size_t most = 20;
  auto reached = rows_around(d, q.start, 3, {q.edge_types[0], q.edge_types[1]});
  const auto by_hops = [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  };
  const auto count = static_cast<std::ptrdiff_t>(std::min(most, reached.size()));
  std::partial_sort(reached.begin(), reached.begin() + count, reached.end(), by_hops);
  reached.resize(static_cast<std::size_t>(count));
  return reached;
}

rows tagged_in_reach(const dataset& d, const query& q) {
  rows found;
  for (const auto& [i, hops] : rows_around(d, q.start, 2, {}))
    if (std::ranges::count(d.rows[i].tags, q.tag_in_reach) > 0) found.push_back(i);
  return found;
}

} // namespace mneme::workloads
