#pragma once
/// What a memory rests on, and how far it can be relied on, the naive way: all that can be reached.

#include <set>
#include <vector>

#include "sim/model.hpp"

namespace mneme::sim {

/// What the memory rests on, as its content and its edges say.
std::set<memory_id> supports_of(const model& state, const memory_id& id, seq_no at);
/// What its own content says.
double own_trust(const provenance& p);
double trust_in(const model& state, const memory_id& id, seq_no at);
memory_standing standing_in(const model& state, const memory_id& id, seq_no at);
/// What is stale because `fallen` has fallen, in id order.
std::vector<memory_id> stale_because_of(const model& state, const memory_id& fallen, seq_no at);

} // namespace mneme::sim
