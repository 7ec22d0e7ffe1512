#pragma once
/// Roots and proofs of a world. Asked between two batches, when ledger and store agree.

#include "mneme/engine.hpp"
#include "state/world.hpp"

namespace mneme {

/// What the ledger keeps of the roots of a seq. None: the journal's files have them (fold_roots),
/// which need not be read between two batches.
struct recorded_roots {
  std::optional<root_set> roots{};
};
/// seq_unavailable outside the window.
result<recorded_roots> roots_at(world& w, seq_no at);

inline constexpr std::size_t max_proofs = 10'000;

/// What a waiting request keeps in memory.
std::uint64_t held_bytes(const prove_request& r);

/// Against the current root, or that of a snapshot (root_unavailable for others). What the asker
/// cannot see is not_found, or scope_violation where it comes with a scope. More than max_proofs
/// things are limit_exceeded. `in_time` is asked before each of them: what it refuses with is the
/// answer.
result<proof_bundle> prove(world& w, const prove_request& request, const keep_going& in_time = {});

} // namespace mneme
