#include "actors/coordinator_actor.hpp"

#include <utility>

#include "actors/end_query.hpp"
#include "messages/ensure.hpp"
#include "query/records/similar_topics.hpp"

namespace mneme {

coordinator_actor::coordinator_actor(caf::actor_config& config, std::shared_ptr<world> w,
                                     std::vector<caf::actor> readers, caf::actor committer,
                                     const actor_options& options)
    : caf::event_based_actor(config),
      world_(std::move(w)),
      readers_(this, std::move(readers)),
      committer_(std::move(committer)),
      options_(options) {
  ensure(options_.queries.time != nullptr, "queries have a clock");
}

caf::behavior coordinator_actor::make_behavior() {
  return {
      [this](const ask_query& m) { start(m); },
      [this](const ask_tick& m) { start_tick(m); },
      // It holds the way back, and says itself when nobody runs it.
      [this](const run_read& m) { readers_.give(m, [](const outcome&) {}, [] {}); },
  };
}

void coordinator_actor::start(const ask_query& asked) {
  const job_pointer& job = asked.job;
  ensure(job != nullptr, "somebody asks");
  auto context = context_of(options_.queries, world_->views(), job->at_seq(), asked.pinned);
  if (!context) return job->refuse(context.error());
  const seq_no at = context->at;
  if (!job->taken_ns) job->taken_ns = context->stopwatch_ns();
  run_next(job, at, std::make_shared<const query_context>(std::move(*context)));
}

void coordinator_actor::run_next(const job_pointer& job, seq_no at,
                                 std::shared_ptr<const query_context> context) {
  ensure(at <= world_->published_seq(), "a query reads what is published");
  readers_.give(
      run_effect{job, std::move(context)},
      [this, job, at](const outcome& o) {
        if (o.problem) return job->refuse(*o.problem);
        if (!job->run().next()) return finish(job, at);
        run_next(job, at, nullptr);
      },
      [job] { job->refuse({errc::shutdown, "the engine was closed during the query", {}}); });
}

void coordinator_actor::finish(const job_pointer& job, seq_no at) {
  ensure(!job->run().next(), "a query is finished when no effect is left");
  // The window may have moved on meanwhile, and what was read with it.
  if (auto still = world_->readable(at); !still) return job->refuse(still.error());
  end_query(job, options_, [this](commit_command command) {
    send(committer_, commit_request{std::make_shared<commit_command>(std::move(command))});
  });
}

/// A tick whose reads are under way.
struct coordinator_actor::running_tick {
  std::shared_ptr<tick_job> job;
  write_deadline deadline{};
  seq_no before{}; ///< published at its start
  std::shared_ptr<tick_room> room = std::make_shared<tick_room>();
  std::vector<std::shared_ptr<tick_share>> shares;
  std::size_t missing = 0;
  bool refused = false;
};

void coordinator_actor::start_tick(const ask_tick& asked) {
  const auto& job = asked.job;
  ensure(job != nullptr && job->request != nullptr, "a tick has a request");
  const tick_request& request = *job->request;
  for (const auto& [size, key] :
       {std::pair(request.reads.size(), "reads"), std::pair(request.writes.size(), "writes")})
    if (size > max_tick_items)
      return job->reply(
          mneme::fail(errc::limit_exceeded,
                      "a tick has at most " + std::to_string(max_tick_items) + " " + key, key));
  auto tick = std::make_shared<running_tick>();
  tick->job = job;
  tick->deadline = asked.deadline;
  tick->room->most = world_->max_answer_bytes;
  const auto context = context_of(options_.queries, world_->views(), std::nullopt);
  if (!context) return job->reply(std::unexpected(context.error()));
  tick->before = context->at;
  if (!job->taken_ns) job->taken_ns = context->stopwatch_ns();
  const std::size_t count = std::min(readers_.size(), request.reads.size());
  for (std::size_t i = 0; i < count; ++i)
    tick->shares.push_back(std::make_shared<tick_share>(tick_share{.request = job->request,
                                                                   .room = tick->room,
                                                                   .context = *context,
                                                                   .texts = job->texts,
                                                                   .taken_ns = job->taken_ns,
                                                                   .first = i,
                                                                   .step = count,
                                                                   .outcomes = {}}));
  tick->missing = count;
  if (count == 0) return commit_tick(tick);
  for (std::size_t i = 0; i < count; ++i)
    readers_.give(
        run_share{tick->shares[i]},
        [this, tick](const outcome&) {
          ensure(tick->missing > 0, "each share of a tick is answered once");
          if (--tick->missing == 0 && !tick->refused) commit_tick(tick);
        },
        [tick] {
          if (std::exchange(tick->refused, true)) return;
          tick->job->reply(mneme::fail(errc::shutdown, "the engine was closed during the tick"));
        });
}

coordinator_actor::tick_addition coordinator_actor::similar_topics_of(const running_tick& tick) {
  std::vector<asked_similar> similar;
  const auto& writes = tick.job->request->writes;
  for (std::size_t i = 0; i < writes.size(); ++i)
    if (const auto* m = std::get_if<scoped_mutation>(&writes[i]))
      for (auto& asked :
           similar_asked_by(std::span(&m->request, 1), m->scope, tick.job->request->in_sight_of)) {
        asked.item = i;
        similar.push_back(std::move(asked));
      }
  if (similar.empty()) return [](const auto&) {};
  return [self = caf::actor_cast<caf::actor>(this), world = world_, before = tick.before,
          similar = std::move(similar)](std::shared_ptr<pending_answer<tick_result>> answer) {
    caf::anon_send(self, run_read{[world, before, similar, answer = std::move(answer)] {
                     for (const auto& asked : similar)
                       if (auto& write = answer->value.writes[asked.item])
                         add_similar(std::get<mutation_result>(*write), asked, before,
                                     world->views());
                   }});
  };
}

void coordinator_actor::commit_tick(const std::shared_ptr<running_tick>& tick) {
  ensure(tick->missing == 0 && !tick->refused, "a tick commits when all its shares are there");
  if (tick->room->is_exceeded())
    return tick->job->reply(
        mneme::fail(errc::limit_exceeded,
                    "the answers of the tick take more than the " + std::to_string(tick->room->most)
                        + " bytes of max_answer_bytes: read fewer at once, or page by page",
                    "reads"));
  auto answer = std::make_shared<tick_result>();
  std::vector<std::size_t> touched;
  tick_command command;
  const std::size_t reads = tick->job->request->reads.size();
  for (std::size_t i = 0; i < reads; ++i) {
    auto& share = *tick->shares[i % tick->shares.size()];
    ensure(i / tick->shares.size() < share.outcomes.size(), "a share answers each of its reads");
    tick_read_outcome& read = share.outcomes[i / tick->shares.size()];
    answer->reads.push_back(std::move(read.answer));
    if (!read.touch) continue;
    touched.push_back(i);
    command.touches.push_back({std::move(read.actor), std::move(*read.touch)});
  }
  if (command.touches.empty() && tick->job->request->writes.empty()) {
    answer->seq = world_->published_seq();
    return tick->job->reply(std::move(*answer));
  }
  command.writes = {tick->job->request, &tick->job->request->writes};
  command.ahead = std::move(tick->job->ahead);
  command.deadline = tick->deadline;
  command.in_sight_of = tick->job->request->in_sight_of;
  command.reply = [job = tick->job, answer, touched,
                   add = similar_topics_of(*tick)](result<tick_commit> committed) {
    if (!committed) return job->reply(propagate(committed));
    ensure(committed->touches.size() == touched.size(), "each touch of a tick has a seq");
    for (std::size_t i = 0; i < touched.size(); ++i) {
      auto& read = answer->reads[touched[i]];
      if (read) read = with_touch_seq(std::move(*read), committed->touches[i]);
    }
    answer->writes = std::move(committed->writes);
    answer->seq = committed->seq;
    add(std::make_shared<pending_answer<tick_result>>(std::move(*answer), job->reply));
  };
  send(committer_, commit_request{std::make_shared<commit_command>(std::move(command))});
}

} // namespace mneme
