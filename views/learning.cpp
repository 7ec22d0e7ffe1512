#include "views/learning.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "views/salience.hpp"

namespace mneme {

namespace {

constexpr double step = 0.05;
constexpr double unit = 1e9;

/// Mean of the four parts over the memories, made to sum 1; all zero when they are.
std::array<double, 4> profile_of(std::span<const activation> cited, timestamp now) {
  std::array<double, 4> sums{};
  for (const auto& a : cited) {
    const salience_parts parts = parts_of(a, now);
    sums[0] += parts.recency;
    sums[1] += parts.access;
    sums[2] += parts.citations;
    sums[3] += parts.importance;
  }
  const double whole = sums[0] + sums[1] + sums[2] + sums[3];
  if (whole > 0)
    for (double& s : sums) s /= whole;
  return sums;
}

std::int64_t to_units(double weight) {
  return static_cast<std::int64_t>(std::floor(weight * unit + 0.5));
}

} // namespace

learning learn(const learned_weights& before, std::span<const activation> cited, bool away,
               timestamp now) {
  const learning nothing{.learned = false, .weights = before};
  if (cited.empty()) return nothing;
  const auto profile = profile_of(cited, now);
  if (profile[0] + profile[1] + profile[2] + profile[3] <= 0) return nothing;
  const salience_weights w = weights_of(before);
  std::array<double, 4> moved = {w.recency, w.access, w.citations, w.importance};
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const double change = step * (profile[i] - moved[i]);
    moved[i] = std::max(0.0, away ? moved[i] - change : moved[i] + change);
  }
  const double own = moved[0] + moved[1] + moved[2] + moved[3];
  if (own <= 0) return nothing;
  const double whole = own + w.similarity;
  return {.learned = true,
          .weights = {.recency = to_units(moved[0] / whole),
                      .access = to_units(moved[1] / whole),
                      .citations = to_units(moved[2] / whole),
                      .importance = to_units(moved[3] / whole),
                      .similarity = to_units(w.similarity / whole)}};
}

salience_weights salience_weights_of(const asker& who, const read_views& views, seq_no at) {
  const learned_weights learned = views.attributes->weights_of(who.name(), at);
  return learned == learned_weights{} ? salience_weights{} : weights_of(learned);
}

} // namespace mneme
