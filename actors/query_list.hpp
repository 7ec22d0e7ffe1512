#pragma once
/// A list of queries that one thread asks and several readers run: the readers share the stages,
/// the asking thread commits what the queries touch, in the order of the list. So neither the
/// number of readers nor their speed shows, in the answers or in the journal.

#include <chrono>
#include <future>
#include <vector>

#include "actors/end_query.hpp"
#include "actors/inline_query.hpp"
#include "actors/sure_reply.hpp"
#include "messages/ensure.hpp"
#include "query/list_deadline.hpp"

namespace mneme {

/// The answer of somebody who is waited for.
template <class T>
struct waiting {
  std::shared_ptr<std::promise<result<T>>> promise = std::make_shared<std::promise<result<T>>>();
  std::future<result<T>> future = promise->get_future();

  std::function<void(result<T>)> reply() {
    return sure_reply<T>([p = promise](result<T> r) { p->set_value(std::move(r)); });
  }
  [[nodiscard]] bool is_there() const {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  /// Once.
  result<T> get() { return future.get(); }
};

/// One query of the list: the reader's until `staged` is answered.
template <class Run>
struct listed_query {
  std::function<result<void>()> stage; ///< makes the job and runs its stages
  std::shared_ptr<door_job<Run>> job;  ///< null: put off, there was no room ahead of its turn
  waiting<void> staged;
  waiting<typename Run::answer_type> answer;
};

/// Readers work ahead of the order as far as there is room for what they find; the rest is put off
/// until its turn and run by the asking thread. Not where the embedder is remote. Queries that name
/// no seq read at `at`; deadlines count from `began_ns` of the stopwatch.
template <class Run>
std::vector<result<typename Run::answer_type>>
ask_readers(const std::shared_ptr<running_engine>& engine,
            std::vector<typename Run::request_type> requests, seq_no at, std::int64_t began_ns) {
  const auto& embedder = engine->state->embedder;
  ensure(embedder == nullptr || embedder->remote() == nullptr,
         "a reader does not wait for a network");
  const query_seams& seams = engine->options.queries;
  const auto room = std::make_shared<list_room>(engine->state->max_answer_bytes);
  std::vector<std::shared_ptr<listed_query<Run>>> list;
  for (auto& r : requests) {
    auto one = list.emplace_back(std::make_shared<listed_query<Run>>());
    // The clock is read in the order of the list.
    auto context = context_of(seams, engine->state->views(), r.at_seq, at);
    one->stage = [=, of = one.get(), request = std::move(r)]() mutable -> result<void> {
      if (!context) return propagate(context);
      const auto& time = context->stopwatch;
      if (auto in_time = shorten_deadline(request, time ? time() - began_ns : 0); !in_time)
        return in_time;
      of->job = std::make_shared<door_job<Run>>(std::move(request), of->answer.reply());
      of->job->list = room;
      return run_stages(*of->job, *context, *engine->state);
    };
    hand_over_read(*engine, [=, staged = one->staged.reply()] {
      if (room->is_full() || !room->has_room_ahead()) return staged({});
      auto ran = one->stage();
      if (ran) room->came_early(one->job->run().answer_bytes());
      staged(std::move(ran));
    });
  }
  std::vector<result<void>> staged;
  for (const auto& one : list) {
    staged.push_back(one->staged.get());
    const bool was_early = staged.back().has_value() && one->job != nullptr;
    const std::uint64_t bytes = was_early ? one->job->run().answer_bytes() : 0;
    if (room->is_full())
      staged.back() = room->refusal();
    else if (staged.back() && !was_early)
      staged.back() = one->stage();
    if (staged.back())
      end_query(one->job, engine->options,
                [&](commit_command command) { hand_over(*engine, std::move(command)); });
    else
      one->job.reset(); // what it has found is of no use
    room->had_turn(bytes);
  }
  std::vector<result<typename Run::answer_type>> results;
  results.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (staged[i])
      results.push_back(list[i]->answer.get());
    else
      results.push_back(propagate(staged[i]));
  }
  return results;
}

} // namespace mneme
