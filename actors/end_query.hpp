#pragma once
/// The end of a query, whoever ran its stages: what it touched goes to the committer, and the job
/// is answered.

#include <functional>
#include <memory>

#include "actors/spawn.hpp"
#include "query/query_job.hpp"

namespace mneme {

/// Of a job whose stages have run. `commit` hands a command to the committer, in whose thread the
/// job then ends; it has ended on return if it touched nothing, or what it touched may wait.
void end_query(const std::shared_ptr<query_job>& job, const actor_options& options,
               const std::function<void(commit_command)>& commit);

} // namespace mneme
