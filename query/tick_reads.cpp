#include "query/tick_reads.hpp"

#include <algorithm>

#include "messages/ensure.hpp"
#include "query/answer_bytes.hpp"
#include "query/chroma/chroma.hpp"
#include "query/context/context.hpp"
#include "query/deadline.hpp"
#include "query/find/find.hpp"
#include "query/list_deadline.hpp"
#include "query/query_job.hpp"
#include "query/records/edge_reads.hpp"
#include "query/records/point_reads.hpp"
#include "query/request_numbers.hpp"
#include "query/retrieve/retrieve.hpp"
#include "query/search/search.hpp"

namespace mneme {

namespace {

/// Which run answers a door's requests. A new door is one line here and one alternative of
/// tick_read.
template <class Request>
struct door_of;
template <>
struct door_of<find_request> {
  using run = find_run;
};
template <>
struct door_of<context_request> {
  using run = context_run;
};
template <>
struct door_of<retrieve_request> {
  using run = retrieve_run;
};
template <>
struct door_of<chroma_request> {
  using run = chroma_run;
};
template <>
struct door_of<search_request> {
  using run = search_run;
};

/// Request: with an actor and a scope.
template <class Request>
std::string asking(const Request& r) {
  return r.scope != nullptr ? r.scope->granted_to : r.actor.value_or("");
}

/// Request: of a single record.
template <class Request>
Request pinned(Request r, seq_no at) {
  if (!r.options.at_seq) r.options.at_seq = at;
  return r;
}

template <class Answer>
result<tick_read_answer> wrapped(result<Answer> r) {
  if (!r) return propagate(r);
  return tick_read_answer(std::move(*r));
}

/// Of what single() reads.
std::uint64_t bytes_of(const tick_read_answer& answer) {
  if (const auto* whole = std::get_if<memory_reading>(&answer)) return answer_bytes(*whole);
  if (const auto* edges = std::get_if<std::vector<edge_record>>(&answer))
    return answer_bytes(*edges);
  return 0;
}

class read_runner {
public:
  read_runner(const read_views& views, const query_context& context)
      : views_(views), context_(context) {}

  tick_read_outcome operator()(const get_read& r) const {
    const std::string target = r.key ? to_string(*r.key) : to_string(r.id);
    return single(r, target, [&](const get_read& at, const deadline& time) {
      return wrapped(read_whole(views_, at, time));
    });
  }
  tick_read_outcome operator()(const resolve_read& r) const {
    return single(r, to_string(r.uri), [&](const resolve_read& at, const deadline& time) {
      return wrapped(read_whole(views_, at, time));
    });
  }
  tick_read_outcome operator()(const edges_read& r) const {
    return single(r, to_string(r.id), [&](const edges_read& at, const deadline& time) {
      return wrapped(list_edges(views_, at, time));
    });
  }
  template <class Request>
  tick_read_outcome operator()(const Request& r) const {
    tick_read_outcome out{.answer = {}, .actor = asking(r), .touch = {}, .bytes = 0};
    if (auto ok = ask<typename door_of<Request>::run>(r, out); !ok) {
      out.answer = propagate(ok);
      out.touch.reset();
    }
    return out;
  }

private:
  /// Going outside the scope is journaled with the tick.
  template <class Request, class Read>
  tick_read_outcome single(const Request& r, std::string target, Read read) const {
    const read_options& options = r.options;
    if (auto ok = check_positive(r.deadline_ms, "deadline_ms"); !ok)
      return {.answer = propagate(ok), .actor = asking(options), .touch = {}, .bytes = 0};
    const deadline time(context_.stopwatch, r.deadline_ms);
    tick_read_outcome out{.answer = read(pinned(r, context_.at), time),
                          .actor = asking(options),
                          .touch = {},
                          .bytes = 0};
    if (out.answer)
      if (auto in_time = time.check(); !in_time) out.answer = propagate(in_time);
    if (out.answer) out.bytes = bytes_of(*out.answer);
    if (!out.answer && out.answer.error().code == errc::scope_violation && options.scope != nullptr)
      out.touch = violation_of(*options.scope, std::move(target));
    return out;
  }
  template <class Run, class Request>
  result<void> ask(const Request& r, tick_read_outcome& out) const {
    const query_context own = read_at(context_, views_, r.at_seq, context_.at);
    auto run = compiled_query<Run>(r, own, own.embedded, views_);
    if (!run) return propagate(run);
    if (auto ran = run_inline(**run, views_); !ran) return ran;
    // The window may have moved on meanwhile, and what was read with it.
    if (auto still = views_.readable(own.at); !still) return propagate(still);
    out.touch = (*run)->touch();
    out.bytes = (*run)->answer_bytes();
    out.answer = tick_read_answer((*run)->take());
    return {};
  }

  const read_views& views_;
  const query_context& context_;
};

} // namespace

tick_read_outcome run_tick_read(const tick_read& read, const read_views& views,
                                const query_context& context) {
  return std::visit(read_runner(views, context), read);
}

std::optional<error> refusal_of(const tick_read& read, const read_views& views,
                                const query_context& context, const query_vector& text_vector) {
  return std::visit(
      [&]<class Request>(const Request& r) -> std::optional<error> {
        if constexpr (requires { typename door_of<Request>::run; }) {
          const query_context own = read_at(context, views, r.at_seq, context.at);
          auto run = compiled_query<typename door_of<Request>::run>(r, own, text_vector, views);
          if (!run) return std::move(run).error();
        }
        return std::nullopt;
      },
      read);
}

tick_read_answer with_touch_seq(tick_read_answer answer, seq_no seq) {
  std::visit(
      [&](auto& a) {
        if constexpr (requires { a.seq = std::optional(seq); }) a.seq = seq;
      },
      answer);
  return answer;
}

void tick_share::run(const read_views& views) {
  ensure(outcomes.empty() && step > 0, "a share is run once, and ends");
  ensure(texts.empty() || texts.size() == request->reads.size(), "each read has its text");
  const std::int64_t began = taken_ns ? *taken_ns : context.stopwatch_ns();
  const auto run_one = [&](tick_read read) {
    const std::int64_t passed = context.stopwatch_ns() - began;
    auto in_time = std::visit(
        [&](auto& r) -> result<void> {
          if (request->deadline_ms)
            r.deadline_ms =
                std::min(*request->deadline_ms, r.deadline_ms.value_or(*request->deadline_ms));
          return shorten_deadline(r, passed);
        },
        read);
    if (in_time) return run_tick_read(read, views, context);
    return tick_read_outcome{.answer = propagate(in_time), .actor = {}, .touch = {}, .bytes = 0};
  };
  for (std::size_t i = first; i < request->reads.size() && !room->is_exceeded(); i += step) {
    const text_of_read text = texts.empty() ? text_of_read{} : texts[i];
    context.embedded = text.vector;
    outcomes.push_back(text.refused ? tick_read_outcome{.answer = std::unexpected(*text.refused),
                                                        .actor = {},
                                                        .touch = {},
                                                        .bytes = 0}
                                    : run_one(request->reads[i]));
    room->take(outcomes.back().bytes);
  }
}

} // namespace mneme
