#include "views/salience.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "messages/math.hpp"

namespace mneme {

namespace {

constexpr double recency_span_ns = 90.0 * 86400.0 * 1e9;
constexpr std::size_t saturation = 1000;

/// ln(1+n)/ln(1001) for n in 0..1000; larger counts score 1.
const std::array<double, saturation + 1>& count_scores() {
  static const auto table = [] {
    std::array<double, saturation + 1> scores{};
    const double whole = stable_log(static_cast<double>(saturation + 1));
    for (std::size_t n = 0; n <= saturation; ++n)
      scores[n] = stable_log(static_cast<double>(n + 1)) / whole;
    return scores;
  }();
  return table;
}

double count_score(std::int64_t n) noexcept {
  return count_scores()[static_cast<std::size_t>(
      std::clamp<std::int64_t>(n, 0, static_cast<std::int64_t>(saturation)))];
}

/// How long ago it was used last, in spans of recency.
double age_of(const activation& used, timestamp now) noexcept {
  // Both instants are valid (0 .. 2261), so that the difference does not overflow.
  const std::int64_t age_ns = std::max<std::int64_t>(0, now.ns - used.last_used.ns);
  return static_cast<double>(age_ns) / recency_span_ns;
}

salience_parts parts_with(double recency, const activation& used) noexcept {
  return {.recency = recency,
          .access = count_score(used.access_count),
          .citations = count_score(used.citations),
          .importance = static_cast<double>(used.importance) / 10.0};
}

} // namespace

salience_parts parts_of(const activation& used, timestamp now) noexcept {
  return parts_with(stable_exp(-age_of(used, now)), used);
}

salience_weights weights_of(const learned_weights& learned) noexcept {
  constexpr double unit = 1e9;
  return {.recency = static_cast<double>(learned.recency) / unit,
          .access = static_cast<double>(learned.access) / unit,
          .citations = static_cast<double>(learned.citations) / unit,
          .importance = static_cast<double>(learned.importance) / unit,
          .similarity = static_cast<double>(learned.similarity) / unit};
}

salience_scorer::salience_scorer(timestamp now, bool with_near, const salience_weights& weights)
    : now_(now), with_near_(with_near), weights_(weights) {
  if (!with_near) {
    const double sum = weights.recency + weights.access + weights.citations + weights.importance;
    weights_.recency /= sum;
    weights_.access /= sum;
    weights_.citations /= sum;
    weights_.importance /= sum;
  }
  raising_ = {.recency = std::max(0.0, weights_.recency),
              .access = std::max(0.0, weights_.access),
              .citations = std::max(0.0, weights_.citations),
              .importance = std::max(0.0, weights_.importance),
              .similarity = weights_.similarity};
}

double salience_scorer::weigh(const salience_weights& weights, const salience_parts& parts,
                              double distance) const noexcept {
  double score = weights.recency * parts.recency + weights.access * parts.access
                 + weights.citations * parts.citations + weights.importance * parts.importance;
  if (with_near_) score += weights.similarity * std::clamp(1.0 - distance, 0.0, 1.0);
  return score;
}

double salience_scorer::operator()(const activation& used, double distance) const noexcept {
  return weigh(weights_, parts_of(used, now_), distance);
}

// Products and sums of what is larger are not smaller, rounded or not.
double salience_scorer::at_most(const activation& used, double distance) const noexcept {
  return weigh(raising_, parts_with(falling_(age_of(used, now_)), used), distance);
}

} // namespace mneme
