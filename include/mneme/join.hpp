#pragma once
/// Joining a log from a copy that another process has, so that not all of it has to be read
/// (docs/SCALE.md).

#include <string>

#include "mneme/branch.hpp"
#include "mneme/log.hpp"

namespace mneme {

/// Makes `into`, where nothing is, a copy of the log at `address` from `from`: a backup of a
/// directory that is on it, or such a directory itself, which may be open. Claims nothing, and
/// takes no more than that has: whoever opens `into` fetches the rest. What the indexes were made
/// of is taken from there; verify_world() looks at all of it.
///
/// corrupt: the log lacks its last entry, or says another root there. bad_value: of another world.
result<branch_report> join_world(const std::string& from, const std::string& into,
                                 const std::string& address, const log_factory& logs);

} // namespace mneme
