#include "actors/end_query.hpp"

#include "messages/ensure.hpp"

namespace mneme {

namespace {

bool may_wait(const entry_payload& touched, const actor_options& options) {
  const auto* reinforced = std::get_if<reinforce_payload>(&touched);
  // An arm that reads what others read too is told that it has something to write.
  if (options.commits.read_only && !options.queries.read_only) return false;
  return options.queries.chroma.touches == touch_mode::batched && reinforced != nullptr
         && reinforced->door == reinforcing_door::chroma;
}

} // namespace

void end_query(const std::shared_ptr<query_job>& job, const actor_options& options,
               const std::function<void(commit_command)>& commit) {
  ensure(!job->run().next(), "a query ends when no stage is left");
  // Before it reinforces anything: what is refused leaves nothing.
  if (job->list)
    if (auto ok = job->list->take(job->run().answer_bytes()); !ok) return job->refuse(ok.error());
  auto touched = job->run().touch();
  if (!touched) return job->answer({});
  if (may_wait(*touched, options)) {
    commit(late_touch_command{.payload = std::get<reinforce_payload>(std::move(*touched)),
                              .asked_at = job->asked_at});
    return job->answer({});
  }
  commit(touch_command{.payload = std::move(*touched), .reply = [job](result<seq_no> seq) {
                         if (seq)
                           job->answer(*seq);
                         else
                           job->refuse(seq.error());
                       }});
}

} // namespace mneme
