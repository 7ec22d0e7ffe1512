#pragma once
/// How an actor's salience weights learn from an attestation, and which rank for whom.

#include <span>

#include "messages/codec/entry.hpp"
#include "mneme/agents.hpp"
#include "views/asker.hpp"
#include "views/read_views.hpp"
#include "views/salience.hpp"

namespace mneme {

struct learning {
  bool learned = false;
  learned_weights weights;
};

/// One step of an exponential moving average. The profile is the mean (R, A, C, D) of the cited
/// memories as they are after the attestation, made to sum 1; each of the four weights moves by
/// 0.05 of its distance to the profile, towards it, or away from it when the failure blames what
/// was cited; V keeps its value; nothing falls below 0; then all five are divided by their sum.
/// Nothing is learned from no memory, from a profile of zeros, or where only V would be left.
learning learn(const learned_weights& before, std::span<const activation> cited, bool away,
               timestamp now);

salience_weights salience_weights_of(const asker& who, const read_views& views, seq_no at);

} // namespace mneme
