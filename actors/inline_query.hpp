#pragma once
/// The second driver of queries: every effect in the thread that calls.

#include "actors/lent_thread.hpp"
#include "actors/running_engine.hpp"
#include "query/query_job.hpp"

namespace mneme {

/// Runs the job over the engine's read views, `here`. What it touched goes to the committer, in
/// whose turn the job then ends; else it has ended on return. `pinned` is the seq to read at when
/// the request names none.
void run_in_caller(const std::shared_ptr<query_job>& job, const running_engine& engine,
                   std::optional<seq_no> pinned, lent_thread& here);

/// Compiles the job and runs its stages. On success end_query() is left to do; on failure the job
/// is not answered.
result<void> run_stages(query_job& job, const query_context& context, world& w);

} // namespace mneme
