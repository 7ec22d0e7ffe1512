#include "actors/coordinator_actor.hpp"

#include <utility>

namespace mneme {

coordinator_actor::coordinator_actor(caf::actor_config& config, std::shared_ptr<world> w,
                                     std::vector<caf::actor> readers, caf::actor committer,
                                     const actor_options& options)
    : caf::event_based_actor(config),
      world_(std::move(w)),
      readers_(std::move(readers)),
      committer_(std::move(committer)),
      options_(options) {
}

caf::behavior coordinator_actor::make_behavior() {
  return {[this](const ask_query& m) { start(m); }};
}

void coordinator_actor::start(const ask_query& asked) {
  const job_pointer& job = asked.job;
  auto at = world_->readable(job->at_seq() ? job->at_seq() : asked.pinned);
  if (!at) return job->refuse(at.error());
  auto compiled = job->compile(context_of(options_, *at), world_->views());
  if (!compiled) return job->refuse(compiled.error());
  advance(job, *at);
}

void coordinator_actor::advance(const job_pointer& job, seq_no at) {
  if (!job->run().next()) return finish(job, at);
  const caf::actor& reader = readers_[next_reader_++ % readers_.size()];
  request(reader, caf::infinite, run_effect{job})
      .then(
          [this, job, at](const outcome& o) {
            if (o.problem) return job->refuse(*o.problem);
            advance(job, at);
          },
          [job](const caf::error&) {
            job->refuse({errc::shutdown, "the engine was closed during the query", {}});
          });
}

void coordinator_actor::finish(const job_pointer& job, seq_no at) {
  // The window may have moved on meanwhile, and what was read with it.
  if (auto still = world_->readable(at); !still) return job->refuse(still.error());
  auto touched = job->run().touch();
  if (!touched) return job->answer({});
  auto command = std::make_shared<commit_command>(
      touch_command{.payload = std::move(*touched), .reply = [job](result<seq_no> seq) {
                      if (seq)
                        job->answer(*seq);
                      else
                        job->refuse(seq.error());
                    }});
  send(committer_, commit_request{std::move(command)});
}

} // namespace mneme
