#include "sim/model_physics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "index/colour/semantic_stack.hpp"
#include "messages/math.hpp"

namespace mneme::sim {

namespace {

double days(timestamp from, timestamp to) {
  return static_cast<double>(std::max<std::int64_t>(0, to.ns - from.ns)) / 86'400e9;
}

double count_part(std::int64_t n) {
  return stable_log(static_cast<double>(std::clamp<std::int64_t>(n, 0, 1000) + 1))
         / stable_log(1001.0);
}

} // namespace

const mode_table& table_of(memory_mode mode) {
  static const std::array<mode_table, 4> modes = {{
      {1.5, 60, 0.06, 0.15, 0.70, 0.85, 0.05, 0.20, 0.30, {.60, .30, .10}},
      {3.0, 90, 0.10, 0.05, 0.70, 0.80, 0.03, 0.15, 0.20, {.50, .30, .20}},
      {2.0, 60, 0.10, 0.08, 0.70, 0.85, 0.05, 0.25, 0.20, {.50, .20, .30}},
      {7.0, 120, 0.12, 0.02, 0.60, 0.90, -1, 0, 0.10, {.40, .20, .40}},
  }};
  return modes.at(static_cast<std::size_t>(mode) - 1);
}

double relevance_of(double distance) {
  return stable_exp(-distance / 20.0);
}
double recency_of(timestamp last_accessed, timestamp now, memory_mode mode) {
  return stable_exp(-days(last_accessed, now) / table_of(mode).tau_rec);
}
double strength_norm(std::int64_t strength_e9) {
  const double s = static_cast<double>(strength_e9) / 1e9;
  return s / (s + 5.0);
}
double health_of(timestamp last_accessed, timestamp now, memory_mode mode) {
  return stable_exp(-days(last_accessed, now) / table_of(mode).tau_decay);
}

colour_signals touched(const colour_signals& before, memory_mode mode, timestamp now) {
  const mode_table& t = table_of(mode);
  colour_signals after = before;
  const double recency = recency_of(before.last_accessed, now, mode);
  if (!before.ascended)
    after.strength_e9 += std::llround(t.hit * (1 + (recency >= t.bonus_from ? recency : 0)) * 1e9);
  after.last_accessed = now;
  after.rotten = false;
  if (strength_norm(after.strength_e9) >= t.ascend_from) after.ascended = true;
  return after;
}

colour_signals decayed(const colour_signals& before, memory_mode mode, timestamp now) {
  const mode_table& t = table_of(mode);
  colour_signals after = before;
  const timestamp since =
      std::max(before.last_accessed, before.last_decay_at.value_or(timestamp{}));
  const double rate = t.decay_per_day * (1 - t.protect * 0.5);
  after.strength_e9 = std::llround(static_cast<double>(before.strength_e9)
                                   * stable_exp(-(rate * days(since, now))));
  after.last_decay_at = std::max(now, before.last_decay_at.value_or(now));
  const double norm = strength_norm(after.strength_e9);
  if (norm >= t.ascend_from) {
    after.ascended = true;
    after.rotten = false;
  } else if (t.rot_recency >= 0 && norm <= t.rot_strength
             && recency_of(before.last_accessed, now, mode) <= t.rot_recency) {
    after.rotten = true;
  }
  return after;
}

lab point_of_anchors(std::span<const std::uint32_t> anchors) {
  const auto& stack = semantic_stack::instance();
  const auto n = static_cast<double>(anchors.size());
  lab c;
  for (const auto id : anchors) {
    c.L += stack.at(id).L;
    c.a += stack.at(id).a;
    c.b += stack.at(id).b;
  }
  c = {c.L / n, c.a / n, c.b / n};
  for (int round = 0; round < 3; ++round) {
    lab sum;
    double whole = 0;
    for (const auto id : anchors) {
      const anchor& x = stack.at(id);
      const double dL = x.L - c.L;
      const double da = x.a - c.a;
      const double db = x.b - c.b;
      const double w = x.mass / (0.1 + (dL * dL + da * da + db * db));
      sum.L += w * x.L;
      sum.a += w * x.a;
      sum.b += w * x.b;
      whole += w;
    }
    c = {sum.L / whole, sum.a / whole, sum.b / whole};
  }
  return c;
}

double distance_between(const lab& x, const lab& y) {
  const double dL = x.L - y.L;
  const double da = x.a - y.a;
  const double db = x.b - y.b;
  return std::sqrt(dL * dL + da * da + db * db);
}

five_weights numbers_of(const learned_weights& w) {
  if (w == learned_weights{}) return {};
  const auto of = [](std::int64_t e9) { return static_cast<double>(e9) / 1e9; };
  return {of(w.recency), of(w.access), of(w.citations), of(w.importance), of(w.similarity)};
}

four_parts parts_at(const activation& used, timestamp now) {
  constexpr double ninety_days_ns = 90.0 * 24 * 3600 * 1e9;
  const std::int64_t age = std::max<std::int64_t>(0, now.ns - used.last_used.ns);
  return {stable_exp(-(static_cast<double>(age) / ninety_days_ns)), count_part(used.access_count),
          count_part(used.citations), static_cast<double>(used.importance) / 10.0};
}

double salience(const activation& used, timestamp now, const five_weights& w,
                std::optional<double> near_distance) {
  const double whole = near_distance ? 1.0 : w.recency + w.access + w.citations + w.importance;
  const four_parts p = parts_at(used, now);
  double s = w.recency / whole * p.recency;
  s = s + w.access / whole * p.access;
  s = s + w.citations / whole * p.citations;
  s = s + w.importance / whole * p.importance;
  if (near_distance) s = s + w.similarity * std::clamp(1.0 - *near_distance, 0.0, 1.0);
  return s;
}

} // namespace mneme::sim
