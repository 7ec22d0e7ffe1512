#pragma once
/// Writes for somebody who may name only what he sees: every memory that a request names is asked
/// for at its turn, as the batch being built has it.

#include <span>

#include "mneme/tick.hpp"
#include "state/execute/overlay.hpp"
#include "views/asker.hpp"

namespace mneme {

/// not_found where `who` does not see a memory that the request names, as if there were none;
/// actor_mismatch where an edge `supersedes` does not lead from a memory of its own, or a write or
/// tombstone takes another's out of the answers as superseded; unsupported for what restores or
/// goes through all topics. `at` is the key. What the request makes it names
/// freely. Reads only.
result<void> check_sight(const mutation& m, const asker& who, overlay& records);
result<void> check_sight(const promote_request& r, const asker& who, overlay& records);
/// Of a tick, before any of them is made: `at` starts with writes[i].
result<void> check_sight(std::span<const tick_write> writes, const asker& who, overlay& records);

} // namespace mneme
