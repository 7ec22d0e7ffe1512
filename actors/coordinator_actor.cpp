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
  return {[this](const find_job& job) { start(job); }};
}

void coordinator_actor::start(const find_job& job) {
  auto at = world_->readable(job.request->at_seq);
  if (!at) return job.reply(propagate(at));
  find_request request = *job.request;
  if (options_.exact_near) request.exact = true;
  auto query = find_run::compile(
      std::move(request), {.at = *at, .now = options_.time->now(), .stopwatch = options_.stopwatch},
      world_->views());
  if (!query) return job.reply(propagate(query));
  advance(std::move(*query), *at, job.reply);
}

void coordinator_actor::advance(std::shared_ptr<find_run> query, seq_no at, find_callback reply) {
  if (!query->next()) return finish(query, at, reply);
  const caf::actor& reader = readers_[next_reader_++ % readers_.size()];
  request(reader, caf::infinite, run_effect{query})
      .then(
          [this, query, at, reply](const outcome& o) {
            if (o.problem) return reply(std::unexpected(*o.problem));
            advance(query, at, reply);
          },
          [reply](const caf::error&) {
            reply(mneme::fail(errc::shutdown, "the engine was closed during the query"));
          });
}

void coordinator_actor::finish(const std::shared_ptr<find_run>& query, seq_no at,
                               const find_callback& reply) {
  // The window may have moved on meanwhile, and what was read with it.
  if (auto still = world_->readable(at); !still) return reply(propagate(still));
  auto touched = query->touch();
  if (!touched) return reply(query->take());
  auto command = std::make_shared<commit_command>(
      touch_command{.payload = std::move(*touched), .reply = [query, reply](result<seq_no> seq) {
                      if (!seq) return reply(propagate(seq));
                      find_result answer = query->take();
                      answer.seq = *seq;
                      reply(std::move(answer));
                    }});
  send(committer_, commit_request{std::move(command)});
}

} // namespace mneme
