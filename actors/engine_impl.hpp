#pragma once
/// What every call of the blocking facade does: it passes the gate; a write is handed to the
/// committer with a promise (which costs less than an actor of one's own per call), a read runs in
/// the calling thread over the read views. Private to engine*.cpp.

#include <mutex>

#include "actors/call_gate.hpp"
#include "actors/query_list.hpp"
#include "mneme/engine.hpp"
#include "query/deadline.hpp"
#include "query/request_numbers.hpp"
#include "query/text_vectors.hpp"
#include "views/scope_check.hpp"

namespace mneme {

/// A list of as many queries is run by the calling thread alone: waking readers costs more.
inline constexpr std::size_t short_list = 3;

struct engine::impl {
  struct own_config : caf::actor_system_config {
    explicit own_config(std::size_t readers);
  };
  explicit impl(std::size_t readers);

  own_config config;
  caf::actor_system system{config};
  std::shared_ptr<running_engine> running;
  open_report report;
  timestamp opened_last_entry_at;
  query_driver queries = query_driver::caller;
  engine_options opened_with;
  call_gate gate; ///< every call but close() holds a pass
  std::mutex closing;
  bool closed = false;

  ~impl() { (void)close(); }
  result<void> close();

  /// What `call` answers for the world, unless the engine was closed.
  template <class Call>
  auto inside(const Call& call) -> decltype(call(std::declval<world&>())) {
    const auto pass = gate.enter();
    if (!pass) return std::unexpected(was_closed);
    return call(*running->state);
  }

  /// What the committer answers to the command that `make` builds around the reply.
  /// It has to be executed by the deadline.
  template <class T, class Make>
  result<T> write(const Make& make, std::optional<std::int64_t> deadline_ms) {
    return inside([&](world&) -> result<T> {
      auto deadline = deadline_in(*running, deadline_ms);
      if (!deadline) return propagate(deadline);
      return commit<T>([&](auto reply) {
        auto command = make(std::move(reply));
        command.deadline = *deadline;
        return command;
      });
    });
  }

  result<batch_result> mutate(std::vector<mutation> items, bool is_batch, durability d,
                              std::shared_ptr<const mneme::scope> scope,
                              std::optional<std::int64_t> deadline_ms,
                              const std::optional<std::string>& in_sight_of);

  /// Until when a read has to be done, from now on.
  template <class Request>
  [[nodiscard]] deadline time_of(const Request& request) const {
    return {running->options.queries.stopwatch, request.deadline_ms};
  }

  /// What `call` answers to the world and the deadline, which counts from here.
  template <class Call>
  auto inside_in_time(std::optional<std::int64_t> deadline_ms, const Call& call)
      -> decltype(call(std::declval<world&>(), std::declval<const deadline&>())) {
    return inside([&](world& w) -> decltype(call(w, deadline())) {
      if (auto ok = check_positive(deadline_ms, "deadline_ms"); !ok) return propagate(ok);
      return call(w, deadline(running->options.queries.stopwatch, deadline_ms));
    });
  }

  /// What `read` answers over the read views. Going outside its scope is journaled.
  template <class Read>
  auto read(const read_options& options, const std::string& target, const Read& read)
      -> decltype(read(std::declval<const read_views&>())) {
    return inside([&](world& w) { return guarded(read(w.views()), options, target); });
  }

  /// One query of a door.
  template <class Run>
  result<typename Run::answer_type> ask(typename Run::request_type request) {
    return inside([&](world&) { return run<Run>(std::move(request), {}); });
  }

  /// Many queries of a door, in order; those that name no seq read one and the same.
  template <class Run>
  std::vector<result<typename Run::answer_type>>
  ask_many(std::vector<typename Run::request_type> requests) {
    std::vector<result<typename Run::answer_type>> results;
    results.reserve(requests.size());
    const auto pass = gate.enter();
    if (!pass) {
      results.assign(requests.size(), std::unexpected(was_closed));
      return results;
    }
    const seq_no at = running->state->published_seq();
    const auto& time = running->options.queries.stopwatch;
    const std::int64_t began = time ? time() : 0;
    const auto& embedder = running->state->embedder;
    const bool is_remote = embedder != nullptr && embedder->remote() != nullptr;
    if (requests.size() > short_list && !is_remote)
      return ask_readers<Run>(running, std::move(requests), at, began);
    const auto list = std::make_shared<list_room>(running->state->max_answer_bytes);
    for (auto& r : requests) {
      if (list->is_full()) {
        results.push_back(list->refusal());
        continue;
      }
      auto in_time = shorten_deadline(r, time ? time() - began : 0);
      if (in_time)
        results.push_back(run<Run>(std::move(r), at, list));
      else
        results.push_back(propagate(in_time));
    }
    return results;
  }

  /// Precondition of all below: the caller has a pass.
  template <class T, class Make>
  result<T> commit(const Make& make) {
    waiting<T> answer;
    lent_thread here(running->actors.committer);
    here.hand_over(make(answer.reply()));
    return here.wait_for(answer);
  }

  template <class T>
  result<T> guarded(result<T> answer, const read_options& options, const std::string& target) {
    if (answer || answer.error().code != errc::scope_violation || options.scope == nullptr)
      return answer;
    (void)commit<seq_no>([&](auto reply) {
      return touch_command{violation_of(*options.scope, target), std::move(reply)};
    });
    return answer;
  }

  template <class Run>
  result<typename Run::answer_type> run(typename Run::request_type request,
                                        std::optional<seq_no> pinned,
                                        std::shared_ptr<list_room> list = {}) {
    waiting<typename Run::answer_type> answer;
    auto job = std::make_shared<door_job<Run>>(std::move(request), answer.reply());
    job->list = std::move(list);
    text_vectors(running->state->views(), running->options.queries).embed(*job, pinned);
    lent_thread here(running->actors.committer);
    if (queries == query_driver::caller)
      run_in_caller(job, *running, pinned, here);
    else
      caf::anon_send(running->actors.coordinator, ask_query{std::move(job), pinned});
    return here.wait_for(answer);
  }
};

} // namespace mneme
