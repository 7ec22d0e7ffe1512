#pragma once
/// The second driver of queries: every effect in the caller's thread.

#include "actors/running_engine.hpp"
#include "query/query_job.hpp"

namespace mneme {

/// Runs the job over the engine's read views. What it touched goes to the committer, in whose
/// thread the job then ends; else it has ended on return. `pinned` is the seq to read at when the
/// request names none.
void run_in_caller(const std::shared_ptr<query_job>& job, const running_engine& engine,
                   std::optional<seq_no> pinned);

} // namespace mneme
