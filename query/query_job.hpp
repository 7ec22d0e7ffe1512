#pragma once
/// A question on its way through the engine, whichever door it came by. The driver (the coordinator
/// by messages, the facade in the caller's thread) compiles it at a seq, runs its effects, commits
/// what it touched, and answers; it knows nothing of the doors themselves.

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "messages/ensure.hpp"
#include "query/list_deadline.hpp"
#include "query/list_room.hpp"
#include "query/query_run.hpp"
#include "query/query_text.hpp"
#include "views/scope_check.hpp"

namespace mneme {

/// The context with the request's scope, verified.
template <class Request>
result<query_context> with_scope(const Request& request, query_context context,
                                 const read_views& views) {
  if constexpr (requires { request.scope; }) {
    if (auto who = verify_asker(request.actor, request.scope, context.clock_now, views); !who)
      return propagate(who);
    context.scope = request.scope;
  }
  return context;
}

using query_vector = std::shared_ptr<const result<std::vector<float>>>;

template <class Run>
result<std::unique_ptr<Run>> compiled_query(typename Run::request_type request,
                                            const query_context& context, const query_vector& text,
                                            const read_views& views) {
  if (context.unreadable) {
    if (auto ok = Run::check(request); !ok) return propagate(ok);
    return std::unexpected(*context.unreadable);
  }
  auto checked = with_scope(request, context, views);
  if (!checked) return std::unexpected(std::move(checked).error());
  checked->embedded = text;
  return Run::compile(std::move(request), std::move(*checked), views);
}

class query_job {
public:
  virtual ~query_job() = default;
  /// The seq that the request asks for; nullopt = the published one.
  [[nodiscard]] virtual std::optional<seq_no> at_seq() const = 0;
  /// The text that compile() has embedded; nullopt = none.
  [[nodiscard]] virtual std::optional<std::string> text() const = 0;
  /// Its vector, where a driver had it embedded before.
  query_vector embedded{};
  /// Why a driver did not have it embedded: compile() refuses with that.
  std::optional<error> refused{};
  /// Of the list that this is one of; null = it stands alone.
  std::shared_ptr<list_room> list{};
  /// What compile() would refuse with, if the text had this vector. Changes nothing.
  [[nodiscard]] virtual std::optional<error> refusal(const query_context& context,
                                                     const read_views& its_views,
                                                     const query_vector& text_vector) const = 0;
  /// When a driver took it, on the stopwatch: its deadline counts from then. nullopt = from
  /// compile() on.
  std::optional<std::int64_t> taken_ns{};
  /// The clock's time, from compile() on.
  timestamp asked_at{};
  /// What every effect reads, from compile() on: dense numbers are those of one generation.
  read_views views{};
  /// Makes the run. Called once, before everything below.
  virtual result<void> compile(const query_context& context, const read_views& its_views) = 0;
  /// Once compile() has succeeded.
  virtual query_run& run() = 0;
  /// Ends the job, whose stages have run, with its answer. `touched` is the seq of the entry that
  /// run().touch() became.
  virtual void answer(std::optional<seq_no> touched) = 0;
  /// Ends the job with an error, at any time.
  virtual void refuse(error why) = 0;
};

/// The job of one door. Run has request_type (with at_seq), answer_type (with an optional
/// seq, where it may touch),
/// compile(request, context, views) and take().
template <class Run>
class door_job : public query_job {
public:
  using request_type = typename Run::request_type;
  using answer_type = typename Run::answer_type;
  using reply_type = std::function<void(result<answer_type>)>;

  door_job(request_type request, reply_type reply)
      : request_(std::move(request)), reply_(std::move(reply)) {}

  [[nodiscard]] std::optional<seq_no> at_seq() const override { return request_.at_seq; }
  [[nodiscard]] std::optional<std::string> text() const override { return text_to_embed(request_); }
  result<void> compile(const query_context& context, const read_views& its_views) override {
    ensure(run_ == nullptr, "a job is compiled once");
    views = its_views;
    asked_at = context.clock_now;
    if (refused) return std::unexpected(*refused);
    if (taken_ns)
      if (auto ok = shorten_deadline(request_, context.stopwatch_ns() - *taken_ns); !ok) return ok;
    auto compiled = compiled_query<Run>(std::move(request_), context, embedded, views);
    if (!compiled) return std::unexpected(std::move(compiled).error());
    run_ = std::move(*compiled);
    return {};
  }
  [[nodiscard]] std::optional<error> refusal(const query_context& context,
                                             const read_views& its_views,
                                             const query_vector& text_vector) const override {
    auto compiled = compiled_query<Run>(request_, context, text_vector, its_views);
    return compiled ? std::nullopt : std::optional(std::move(compiled).error());
  }
  query_run& run() override {
    ensure(run_ != nullptr, "a job runs after it was compiled");
    return *run_;
  }
  void answer(std::optional<seq_no> touched) override {
    answer_type a = run_->take();
    if constexpr (requires { a.seq = touched; })
      if (touched) a.seq = touched;
    reply_(std::move(a));
  }
  void refuse(error why) override { reply_(std::unexpected(std::move(why))); }

private:
  request_type request_;
  reply_type reply_;
  std::unique_ptr<Run> run_;
};

} // namespace mneme
