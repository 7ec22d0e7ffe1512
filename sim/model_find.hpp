#pragma once
/// Find, answered the naive way: look at every memory, keep what passes, sort, cut.

#include <expected>

#include "mneme/query.hpp"
#include "sim/model_scope.hpp"

namespace mneme::sim {

/// Answer as of `at` with the clock at `now`; the code if the state refuses it. Precondition: the
/// request itself is well-formed. What only tells how the engine worked (plan,
/// candidates_scanned) is left empty, and so is `seq`.
std::expected<find_result, errc> find_in(const model& state, const find_request& r, seq_no at,
                                         timestamp now);

/// The predicate on one memory, with the types asked (empty: all).
bool holds(const predicate& p, const memory& m, const std::vector<memory_type>& types);

/// True if a literal of the predicate fits no kind that its data field has in the types asked.
bool has_misfit_literal(const predicate& p, const std::vector<memory_type>& types);

/// Tags that stand at the top or below nested `and`s only, each once, in order of appearance.
std::vector<std::string> tags_demanded(const find_request& r);

} // namespace mneme::sim
