#pragma once
/// Oracles over a world as a whole, between two steps or after a crash.

#include "sim/evidence.hpp"

namespace mneme::sim {

/// Oracle "state": every record, vector, activation and count of the world is the model's, and
/// nothing else is there. Precondition: the model is at the world's published seq.
check_result check_state(const evidence& known, world& w);

/// Oracle "edges": each edge stands in the lists of both its ends, and nothing else does.
check_result check_both_ends(const evidence& known, world& w);

/// Oracle "root": the published root, the one folded from the journal, and the one of a tree built
/// from the final contents alone are the same.
check_result check_roots(const evidence& known, world& w);

/// Oracle "lost write": the world that was recovered at `promised` or later has every promised
/// write, and each unanswered one whole or not at all. The model follows it.
check_result check_recovery(evidence& known, world& w, seq_no promised);

/// Oracle "replay": the journal verifies by itself, and replayed into an empty world it gives the
/// live one, byte for byte, with the same root behind every frame.
check_result check_replay(const evidence& known, world& w);

/// Oracle "branch": forks and a backup, of the end and of the past, made beside the running world
/// on a copy of its disk, verify to the model's roots; those of the end have its state. A diff
/// knows where they part.
check_result check_branches(const evidence& known, world& w);

/// Oracle "broken branch": on a copy of the disk the world is forked, the fork is forked, and all
/// are erased in, backed up, forked again and rewound by engines of their own, while the disk fails
/// and machines stop. Each opens, verifies and has the roots of before; what was erased is nowhere.
check_result check_broken_branches(const evidence& known, const world& w, std::uint64_t seed);

/// Oracle "trim": a copy of the disk that is trimmed at half of its history, and then to its end,
/// verifies, has the roots of before, and the same state from the point on.
check_result check_trims(const evidence& known, world& w);

/// Oracle "exactly once": every touch in the journal is a late-binding find's that asked for it.
check_result check_all_claimed(const evidence& known);
/// The same of touches that wait for each other; the engine has closed.
check_result check_late_touches(const evidence& known);

/// Oracle "scope": whoever went outside a scope is in the journal, once for each time.
check_result check_violations(const evidence& known);

} // namespace mneme::sim
