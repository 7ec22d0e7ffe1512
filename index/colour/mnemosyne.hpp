#pragma once
/// Memory signals of coloured memories: how nearness, recency and strength are computed, what a
/// touch and a decay cycle do, and when a memory ascends or rots. Pure; `now` is an input.
///
///   recency = exp(-Δd/tau_rec)     relevance = exp(-distance/20)     strength_norm = s/(s + 5)
///   health = exp(-Δd/tau_decay)    Δd = days since the last access, at least 0
///   touch:   s += α·(1 + (gain·recency if recency >= threshold else 0)); ascended rows keep theirs
///   decay:   s *= exp(-β·Δ·(1 - λ·0.5)), Δ = now - max(last_accessed, last_decay_at)
///   ascend:  strength_norm >= ascension_norm
///   rot:     recency <= rot_recency_min and strength_norm <= rot_strength_min and not ascended

#include <cstdint>
#include <optional>

#include "messages/exp_ceiling.hpp"
#include "mneme/chroma.hpp"

namespace mneme {

struct rot_limits {
  double recency;
  double strength_norm;
};

/// The constants of one mode.
struct mode_physics {
  double tau_rec_days;
  double tau_decay_days;
  double strength_hit;
  double strength_decay_per_day;
  double recency_bonus_threshold;
  double recency_bonus_gain;
  double ascension_norm;
  std::optional<rot_limits> rot; ///< absent = never rots
  double relevance_decay_protect;
  score_weights weights;
};
const mode_physics& physics_of(memory_mode mode) noexcept;

/// What a memory scores for one query.
struct chroma_signals {
  double relevance = 0;
  double recency = 0;
  double strength_norm = 0;
  double health = 0;
  double score = 0;
};
chroma_signals score_signals(const colour_signals& s, memory_mode mode, double distance,
                             timestamp now, const score_weights& weights);

double relevance_at(double distance);
double recency_at(timestamp last_accessed, timestamp now, memory_mode mode);
/// The same or a little more, in less time.
double relevance_at_most(double distance, const exp_ceiling& falling);
double recency_at_most(timestamp last_accessed, timestamp now, memory_mode mode,
                       const exp_ceiling& falling);
double strength_norm_of(std::int64_t strength_e9);

/// A memory as it is written.
colour_signals fresh_signals(timestamp created_at);

/// The strength that a touch at `now` leaves; part of a journaled payload.
std::int64_t touched_strength(const colour_signals& s, memory_mode mode, timestamp now);
/// The signals behind a touch that left `strength_e9`.
colour_signals touched_signals(const colour_signals& s, memory_mode mode, std::int64_t strength_e9,
                               timestamp now);

/// The signals behind a decay cycle. Precondition: not ascended.
colour_signals decayed_signals(const colour_signals& s, memory_mode mode, timestamp now);

} // namespace mneme
