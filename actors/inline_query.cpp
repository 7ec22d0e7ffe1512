#include "actors/inline_query.hpp"

#include "actors/end_query.hpp"

namespace mneme {

result<void> run_stages(query_job& job, const query_context& context, world& w) {
  if (auto ok = job.compile(context, w.views()); !ok) return ok;
  if (auto ran = run_inline(job.run(), job.views); !ran) return ran;
  // The window may have moved on meanwhile, and what was read with it.
  if (auto still = w.readable(context.at); !still) return propagate(still);
  return {};
}

void run_in_caller(const std::shared_ptr<query_job>& job, const running_engine& engine,
                   std::optional<seq_no> pinned, lent_thread& here) {
  world& w = *engine.state;
  const auto context = context_of(engine.options.queries, w.views(), job->at_seq(), pinned);
  if (!context) return job->refuse(context.error());
  if (auto ran = run_stages(*job, *context, w); !ran) return job->refuse(ran.error());
  end_query(job, engine.options,
            [&](commit_command command) { here.hand_over(std::move(command)); });
}

} // namespace mneme
