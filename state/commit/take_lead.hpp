#pragma once
/// How who has followed a log becomes its leader.

#include <memory>

#include "state/world.hpp"

namespace mneme {

/// Between two batches: finishes in the log what its last frame erases, and states this copy's root
/// there by a seal, by which other copies check theirs. version_conflict: the copy lacks something
/// of the log. Whatever fails, the world follows on.
result<void> take_lead(world& w, const std::shared_ptr<log_leader>& leader);

/// What the log's last entries erase may be in the log still: the leader that wrote them may have
/// ended before it was gone.
result<void> erase_in_log(world& w, log_leader& leader);

} // namespace mneme
