#include "index/colour/mnemosyne.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "messages/ensure.hpp"
#include "messages/math.hpp"

namespace mneme {

namespace {

constexpr double strength_half = 5;
constexpr double relevance_scale = 20;
constexpr double nano = 1e9;
constexpr double ns_per_day = 86'400e9;

constexpr std::array<mode_physics, 4> modes = {{
    {.tau_rec_days = 1.5,
     .tau_decay_days = 60,
     .strength_hit = 0.06,
     .strength_decay_per_day = 0.15,
     .recency_bonus_threshold = 0.70,
     .recency_bonus_gain = 1.0,
     .ascension_norm = 0.85,
     .rot = rot_limits{0.05, 0.20},
     .relevance_decay_protect = 0.30,
     .weights = {.60, .30, .10}},
    {.tau_rec_days = 3.0,
     .tau_decay_days = 90,
     .strength_hit = 0.10,
     .strength_decay_per_day = 0.05,
     .recency_bonus_threshold = 0.70,
     .recency_bonus_gain = 1.0,
     .ascension_norm = 0.80,
     .rot = rot_limits{0.03, 0.15},
     .relevance_decay_protect = 0.20,
     .weights = {.50, .30, .20}},
    {.tau_rec_days = 2.0,
     .tau_decay_days = 60,
     .strength_hit = 0.10,
     .strength_decay_per_day = 0.08,
     .recency_bonus_threshold = 0.70,
     .recency_bonus_gain = 1.0,
     .ascension_norm = 0.85,
     .rot = rot_limits{0.05, 0.25},
     .relevance_decay_protect = 0.20,
     .weights = {.50, .20, .30}},
    {.tau_rec_days = 7.0,
     .tau_decay_days = 120,
     .strength_hit = 0.12,
     .strength_decay_per_day = 0.02,
     .recency_bonus_threshold = 0.60,
     .recency_bonus_gain = 1.0,
     .ascension_norm = 0.90,
     .rot = std::nullopt,
     .relevance_decay_protect = 0.10,
     .weights = {.40, .20, .40}},
}};

double days_between(timestamp from, timestamp to) {
  // Both are of 1970 to 2261, so the difference fits.
  return static_cast<double>(std::max<std::int64_t>(0, to.ns - from.ns)) / ns_per_day;
}

bool has_ascended(std::int64_t strength_e9, const mode_physics& p) {
  return strength_norm_of(strength_e9) >= p.ascension_norm;
}

} // namespace

const mode_physics& physics_of(memory_mode mode) noexcept {
  const auto index = static_cast<std::size_t>(mode) - 1;
  ensure(index < modes.size(), "a mode of the enum");
  return modes[index];
}

double relevance_at(double distance) {
  return stable_exp(-distance / relevance_scale);
}

double recency_at(timestamp last_accessed, timestamp now, memory_mode mode) {
  return stable_exp(-days_between(last_accessed, now) / physics_of(mode).tau_rec_days);
}

double relevance_at_most(double distance, const exp_ceiling& falling) {
  return falling(distance / relevance_scale);
}

double recency_at_most(timestamp last_accessed, timestamp now, memory_mode mode,
                       const exp_ceiling& falling) {
  return falling(days_between(last_accessed, now) / physics_of(mode).tau_rec_days);
}

double strength_norm_of(std::int64_t strength_e9) {
  const double s = static_cast<double>(strength_e9) / nano;
  return s / (s + strength_half);
}

chroma_signals score_signals(const colour_signals& s, memory_mode mode, double distance,
                             timestamp now, const score_weights& weights) {
  chroma_signals out;
  out.relevance = relevance_at(distance);
  out.recency = recency_at(s.last_accessed, now, mode);
  out.strength_norm = strength_norm_of(s.strength_e9);
  out.health = stable_exp(-days_between(s.last_accessed, now) / physics_of(mode).tau_decay_days);
  out.score = weights.relevance * out.relevance + weights.recency * out.recency
              + weights.strength * out.strength_norm;
  return out;
}

colour_signals fresh_signals(timestamp created_at) {
  colour_signals s;
  s.last_accessed = created_at;
  return s;
}

std::int64_t touched_strength(const colour_signals& s, memory_mode mode, timestamp now) {
  if (s.ascended) return s.strength_e9;
  const mode_physics& p = physics_of(mode);
  const double recency = recency_at(s.last_accessed, now, mode);
  const double bonus = recency >= p.recency_bonus_threshold ? p.recency_bonus_gain * recency : 0.0;
  return s.strength_e9 + std::llround(p.strength_hit * (1 + bonus) * nano);
}

colour_signals touched_signals(const colour_signals& s, memory_mode mode, std::int64_t strength_e9,
                               timestamp now) {
  colour_signals after = s;
  after.strength_e9 = strength_e9;
  after.last_accessed = now;
  after.rotten = false;
  after.ascended = s.ascended || has_ascended(strength_e9, physics_of(mode));
  return after;
}

colour_signals decayed_signals(const colour_signals& s, memory_mode mode, timestamp now) {
  ensure(!s.ascended, "what has ascended does not decay");
  const mode_physics& p = physics_of(mode);
  const timestamp since =
      s.last_decay_at ? std::max(s.last_accessed, *s.last_decay_at) : s.last_accessed;
  const double rate = p.strength_decay_per_day * (1 - p.relevance_decay_protect * 0.5);
  colour_signals after = s;
  after.strength_e9 = std::llround(static_cast<double>(s.strength_e9)
                                   * stable_exp(-(rate * days_between(since, now))));
  after.last_decay_at = s.last_decay_at ? std::max(now, *s.last_decay_at) : now;
  after.ascended = has_ascended(after.strength_e9, p);
  if (after.ascended) {
    after.rotten = false;
  } else if (p.rot) {
    after.rotten = s.rotten
                   || (recency_at(s.last_accessed, now, mode) <= p.rot->recency
                       && strength_norm_of(after.strength_e9) <= p.rot->strength_norm);
  }
  return after;
}

} // namespace mneme
