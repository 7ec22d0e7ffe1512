#pragma once
/// The physics of coloured memories and the parts of salience, written down a second time.

#include <span>
#include <vector>

#include "mneme/agents.hpp"
#include "mneme/chroma.hpp"

namespace mneme::sim {

/// The table of the four modes.
struct mode_table {
  double tau_rec;
  double tau_decay;
  double hit;
  double decay_per_day;
  double bonus_from;
  double ascend_from;
  double rot_recency; ///< negative: never rots
  double rot_strength;
  double protect;
  score_weights weights;
};
const mode_table& table_of(memory_mode mode);

double relevance_of(double distance);
double recency_of(timestamp last_accessed, timestamp now, memory_mode mode);
double strength_norm(std::int64_t strength_e9);
double health_of(timestamp last_accessed, timestamp now, memory_mode mode);

/// After chroma returned the memory.
colour_signals touched(const colour_signals& before, memory_mode mode, timestamp now);
/// After a decay cycle. Precondition: not ascended.
colour_signals decayed(const colour_signals& before, memory_mode mode, timestamp now);

struct lab {
  double L = 0;
  double a = 0;
  double b = 0;
};
/// Where a set of anchors lies.
lab point_of_anchors(std::span<const std::uint32_t> anchors);
double distance_between(const lab& x, const lab& y);

/// The five weights of salience as numbers.
struct five_weights {
  double recency = 0.25;
  double access = 0.15;
  double citations = 0.30;
  double importance = 0.20;
  double similarity = 0.10;
};
five_weights numbers_of(const learned_weights& w);

/// R, A, C and D of a memory.
struct four_parts {
  double recency = 0;
  double access = 0;
  double citations = 0;
  double importance = 0;
};
four_parts parts_at(const activation& used, timestamp now);
/// Beside a near vector with all five weights, else with the first four over their sum.
double salience(const activation& used, timestamp now, const five_weights& w,
                std::optional<double> near_distance);

} // namespace mneme::sim
