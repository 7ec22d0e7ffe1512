#pragma once
/// Writes of somebody with a scope stay inside it: what they change must be open to them before and
/// after, and what they create must be, as a memory of the scope's actor.

#include <span>
#include <vector>

#include "mneme/requests.hpp"
#include "state/execute/overlay.hpp"
#include "views/asker.hpp"

namespace mneme {

/// The mutations as the grantee may make them: new memories belong to the scope's actor and are
/// created by the grantee, who acts. scope_violation if the scope is not writable or something is
/// outside (`at` is the key, behind items[i] in a batch). Restores and hashtags are unsupported.
/// Precondition: `who` has a scope. Reads only.
result<std::vector<mutation>> inside_scope(std::span<const mutation> items, bool is_batch,
                                           const asker& who, overlay& records);

} // namespace mneme
