#pragma once
/// What every call of the blocking facade does: it passes the gate; a write is handed to the
/// committer with a promise (which costs less than an actor of one's own per call), a read runs in
/// the calling thread over the read views. Private to engine*.cpp.

#include <mutex>

#include "actors/arm_of_engine.hpp"
#include "actors/call_gate.hpp"
#include "actors/engine_home.hpp"
#include "actors/feed_carrier.hpp"
#include "actors/open_worlds.hpp"
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
  class loading; // engine_load.cpp

  explicit impl(std::shared_ptr<engine_home> its) : home(std::move(its)) {}

  std::shared_ptr<engine_home> home;
  /// Of an arm: over the world of its base, which is read until the arm has one of its own.
  /// Null only behind a gate that was closed from the beginning.
  std::shared_ptr<running_engine> running;
  std::unique_ptr<arm_of_engine> arm; ///< null: the engine is no arm
  open_report report;
  timestamp opened_last_entry_at;
  query_driver queries = query_driver::caller;
  engine_options opened_with; ///< not of an arm
  call_gate gate;             ///< every call but close() holds a pass
  feed_carrier feed;          ///< not of an arm
  /// Of a world on the disk that is written to: where others find it.
  std::unique_ptr<open_world_entry> listed;
  std::mutex closing;
  bool closed = false;

  ~impl() { (void)close(); }
  /// What is left of an engine that was moved away: closed, and without a world.
  static std::unique_ptr<impl> gone();
  result<void> close();

  /// What reads go to. Of those that are under way when an arm gets a world of its own some may
  /// still read the base, which is the same.
  [[nodiscard]] const std::shared_ptr<running_engine>& now() const {
    const auto* own = arm == nullptr ? nullptr : arm->own();
    return own == nullptr ? running : *own;
  }
  /// What writes go to.
  result<std::shared_ptr<running_engine>> to_write() {
    return arm == nullptr ? running : arm->make_own();
  }
  /// Of an arm: others read this too, and nobody writes to it.
  [[nodiscard]] bool is_shared(const std::shared_ptr<running_engine>& read) const {
    return arm != nullptr && read == running;
  }

  /// What `call` answers for the world, unless the engine was closed.
  template <class Call>
  auto inside(const Call& call) -> decltype(call(std::declval<world&>())) {
    const auto pass = gate.enter();
    if (!pass) return std::unexpected(was_closed);
    if (arm != nullptr && arm->reads_own())
      if (auto own = arm->make_own(); !own) return propagate(own);
    return call(*now()->state);
  }

  /// The same for the world that is written to, and the engine around it.
  template <class Call>
  auto inside_to_write(const Call& call) -> decltype(call(std::declval<running_engine&>())) {
    const auto pass = gate.enter();
    if (!pass) return std::unexpected(was_closed);
    auto to = to_write();
    if (!to) return propagate(to);
    return call(**to);
  }

  /// What the committer answers to the command that `make` builds around the reply.
  /// It has to be executed by the deadline.
  template <class T, class Make>
  result<T> write(const Make& make, std::optional<std::int64_t> deadline_ms) {
    return inside_to_write([&](running_engine& to) -> result<T> {
      auto deadline = deadline_in(to, deadline_ms);
      if (!deadline) return propagate(deadline);
      return commit<T>(to, [&](auto reply) {
        auto command = make(std::move(reply));
        command.deadline = *deadline;
        return command;
      });
    });
  }

  /// In portions, in this world alone.
  result<erase_result> erase(const erase_request& request,
                             std::optional<std::int64_t> deadline_ms = {});

  /// Waits, where the request says so, until there is a change or `is_over`.
  result<changes_result> changes(changes_request request, const std::atomic<bool>& is_over);
  result<changes_result> changes_now(running_engine& of, const changes_request& request);

  result<batch_result> mutate(std::vector<mutation> items, bool is_batch, durability d,
                              std::shared_ptr<const mneme::scope> scope,
                              std::optional<std::int64_t> deadline_ms,
                              const std::optional<std::string>& in_sight_of);

  [[nodiscard]] const std::function<std::int64_t()>& stopwatch() const {
    static const std::function<std::int64_t()> none;
    return running == nullptr ? none : running->options.queries.stopwatch;
  }
  /// Until when a read has to be done, from now on.
  template <class Request>
  [[nodiscard]] deadline time_of(const Request& request) const {
    return {stopwatch(), request.deadline_ms};
  }

  /// What `call` answers to the world and the deadline, which counts from here.
  template <class Call>
  auto inside_in_time(std::optional<std::int64_t> deadline_ms, const Call& call)
      -> decltype(call(std::declval<world&>(), std::declval<const deadline&>())) {
    return inside([&](world& w) -> decltype(call(w, deadline())) {
      if (auto ok = check_positive(deadline_ms, "deadline_ms"); !ok) return propagate(ok);
      return call(w, deadline(stopwatch(), deadline_ms));
    });
  }

  /// What `read` answers over the read views. Going outside its scope is journaled.
  template <class Read>
  auto read(const read_options& options, const std::string& target, const Read& read)
      -> decltype(read(std::declval<const read_views&>())) {
    using answered = decltype(read(std::declval<const read_views&>()));
    return inside([&](world& w) -> answered {
      auto answer = guarded(read(w.views()), options, target);
      // What was read may have been trimmed meanwhile.
      if (options.at_seq && answer)
        if (auto still = w.readable(options.at_seq); !still) return propagate(still);
      return answer;
    });
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
    const auto& time = stopwatch();
    const std::int64_t began = time ? time() : 0;
    if (arm != nullptr && arm->reads_own()) {
      if (auto own = arm->make_own(); !own) {
        results.assign(requests.size(), propagate(own));
        return results;
      }
    }
    const auto asked = now();
    const seq_no at = asked->state->published_seq();
    const auto& embedder = asked->state->embedder;
    const bool is_remote = embedder != nullptr && embedder->remote() != nullptr;
    if (requests.size() > short_list && !is_remote && !is_shared(asked))
      return ask_readers<Run>(asked, std::move(requests), at, began);
    const auto list = std::make_shared<list_room>(asked->state->max_answer_bytes);
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
  result<T> commit(const running_engine& to, const Make& make) {
    waiting<T> answer;
    lent_thread here(to.actors.committer);
    here.hand_over(make(answer.reply()));
    return here.wait_for(answer);
  }

  template <class T>
  result<T> guarded(result<T> answer, const read_options& options, const std::string& target) {
    if (answer || answer.error().code != errc::scope_violation || options.scope == nullptr)
      return answer;
    if (auto to = to_write())
      (void)commit<seq_no>(**to, [&](auto reply) {
        return touch_command{violation_of(*options.scope, target), std::move(reply)};
      });
    return answer;
  }

  template <class Run>
  result<typename Run::answer_type> run(typename Run::request_type request,
                                        std::optional<seq_no> pinned,
                                        std::shared_ptr<list_room> list = {}) {
    const auto of = now();
    if (!is_shared(of)) return run_in<Run>(*of, std::move(request), pinned, std::move(list));
    auto answer = run_in<Run>(*of, request, pinned, list);
    if (answer || answer.error().code != errc::read_only) return answer;
    // It has something to write.
    auto own = to_write();
    if (!own) return propagate(own);
    return run_in<Run>(**own, std::move(request), pinned, std::move(list));
  }

  template <class Run>
  result<typename Run::answer_type>
  run_in(const running_engine& of, typename Run::request_type request, std::optional<seq_no> pinned,
         std::shared_ptr<list_room> list) {
    waiting<typename Run::answer_type> answer;
    auto job = std::make_shared<door_job<Run>>(std::move(request), answer.reply());
    job->list = std::move(list);
    text_vectors(of.state->views(), of.options.queries).embed(*job, pinned);
    lent_thread here(of.actors.committer);
    if (queries == query_driver::caller)
      run_in_caller(job, of, pinned, here);
    else
      caf::anon_send(of.actors.coordinator, ask_query{std::move(job), pinned});
    return here.wait_for(answer);
  }
};

} // namespace mneme
