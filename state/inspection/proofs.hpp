#pragma once
/// Roots and proofs of a world. Asked between two batches, when ledger and store agree.

#include "mneme/engine.hpp"
#include "state/world.hpp"

namespace mneme {

/// seq_unavailable outside the window.
result<root_set> roots_at(world& w, seq_no at);

/// Against the current root, or that of a snapshot (root_unavailable for others). What the asker
/// cannot see is not_found, or scope_violation where it comes with a scope.
result<proof_bundle> prove(world& w, const prove_request& request);

} // namespace mneme
