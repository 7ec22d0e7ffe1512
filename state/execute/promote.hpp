#pragma once
/// A promotion as the update of the chunk that it is.

#include "mneme/requests.hpp"
#include "state/execute/agent_commands.hpp"

namespace mneme {

/// The update that says of the chunk which memory it became; everything else of its version stays.
/// Errors name `chunk` or `memory`. Reads the state of the batch being built.
result<update_request> promotion_of(const promote_request& r, batch_state& batch);

} // namespace mneme
