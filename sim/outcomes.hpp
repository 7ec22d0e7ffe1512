#pragma once
/// What whole requests do: mutations as answers, agents' writes, ticks.

#include <expected>
#include <vector>

#include "sim/model_doors.hpp"
#include "sim/model_write.hpp"
#include "sim/operation.hpp"

namespace mneme::sim {

/// The answer to a mutation whose last entry, or current state, is at `seq`.
mutation_result result_of(const write_outcome& out, seq_no seq);

/// The mutations of a write as they may be made, as of the model's last state: with a scope, those
/// of its grantee.
std::expected<std::vector<mutation>, errc> permitted(const model& state,
                                                     const request_message& request, timestamp now);

/// The attest or compact of a request, as the tick write that it would be.
std::optional<tick_write> agent_write_of(const request_message& request);

/// What an agent's write answers; its entries go to `entries`, which commits them to `state`.
std::expected<tick_write_answer, errc> agent_outcome(const model& state, const tick_write& w,
                                                     timestamp now, entry_sink& entries);

/// All writes of a tick, by (actor, position), answered in the order of the request.
std::vector<std::expected<tick_write_answer, errc>>
tick_outcomes(const model& state, const tick_request& r, timestamp now, entry_sink& entries);

} // namespace mneme::sim
