// Questions to the doors: each becomes a job of the coordinator.

#include <utility>

#include "actors/host_requests.hpp"
#include "messages/ensure.hpp"
#include "query/asked_bytes.hpp"
#include "query/chroma/chroma.hpp"
#include "query/context/context.hpp"
#include "query/find/find.hpp"
#include "query/retrieve/retrieve.hpp"
#include "query/search/search.hpp"
#include "query/selection/selection.hpp"

namespace mneme {

namespace {

/// Where a message's questions go. `pinned` is the seq to read at when one names none.
template <class Run>
void ask(const running_engine& engine, const typename Run::request_type& request,
         typename door_job<Run>::reply_type reply, std::optional<seq_no> pinned,
         std::shared_ptr<list_room> list = {}) {
  auto job = std::make_shared<door_job<Run>>(request, std::move(reply));
  job->list = std::move(list);
  hand_over_query(engine, std::move(job), pinned);
}

/// The answers of one message, which come in any order.
template <class Answer>
struct gathering {
  std::vector<result<std::shared_ptr<const Answer>>> results;
  std::size_t missing;
};

} // namespace

template <class Run>
host_promise<std::shared_ptr<const typename Run::answer_type>>
host_requests::one(const typename Run::request_type& request) const {
  using answer_type = typename Run::answer_type;
  auto pending = self_->make_response_promise<std::shared_ptr<const answer_type>>();
  auto place = enter(asked_bytes(request));
  auto reply = sharing<answer_type>(pending);
  if (place)
    ask<Run>(*engine_, request, leaving(std::move(*place), std::move(reply)), {});
  else
    reply(propagate(place));
  return pending;
}

template <class Run, class Reply>
host_promise<Reply>
host_requests::many(const std::vector<typename Run::request_type>& requests) const {
  using answer_type = typename Run::answer_type;
  auto pending = self_->make_response_promise<Reply>();
  if (requests.empty()) {
    pending.deliver(Reply{});
    return pending;
  }
  const auto place = enter(asked_bytes(requests));
  if (!place && place.error().code == errc::busy) {
    pending.deliver(to_caf_error(place.error()));
    return pending;
  }
  auto all = std::make_shared<gathering<answer_type>>();
  if (!place) {
    all->results.assign(requests.size(), std::unexpected(place.error()));
    pending.deliver(Reply{std::move(all->results)});
    return pending;
  }
  all->missing = requests.size();
  all->results.resize(requests.size());
  // The coordinator ends them all: answers have room in the order in which they come.
  const auto list = std::make_shared<list_room>(engine_->state->max_answer_bytes);
  // Every query of the message sees one state, whatever is committed meanwhile.
  const seq_no at = engine_->state->published_seq();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto gather = [all, i, pending, place = *place](result<answer_type> r) mutable {
      if (r)
        all->results[i] = std::make_shared<const answer_type>(std::move(*r));
      else
        all->results[i] = propagate(r);
      ensure(all->missing > 0, "each question of a message is answered once");
      if (--all->missing > 0) return;
      place->leave();
      pending.deliver(Reply{std::move(all->results)});
    };
    ask<Run>(*engine_, requests[i], back_here<answer_type>(std::move(gather)), at, list);
  }
  return pending;
}

host_promise<find_reply> host_requests::find(const find_message& m) const {
  return one<find_run>(m.request);
}
host_promise<find_many_reply> host_requests::find_many(const find_many_message& m) const {
  return many<find_run, find_many_reply>(m.requests);
}
host_promise<search_reply> host_requests::search(const search_message& m) const {
  return one<search_run>(m.request);
}
host_promise<search_many_reply> host_requests::search_many(const search_many_message& m) const {
  return many<search_run, search_many_reply>(m.requests);
}
host_promise<select_reply> host_requests::select(const select_message& m) const {
  return one<select_run>(m.request);
}
host_promise<chroma_reply> host_requests::chroma(const chroma_message& m) const {
  return one<chroma_run>(m.request);
}
host_promise<chroma_many_reply> host_requests::chroma_many(const chroma_many_message& m) const {
  return many<chroma_run, chroma_many_reply>(m.requests);
}
host_promise<retrieve_reply> host_requests::retrieve(const retrieve_message& m) const {
  return one<retrieve_run>(m.request);
}
host_promise<retrieve_many_reply>
host_requests::retrieve_many(const retrieve_many_message& m) const {
  return many<retrieve_run, retrieve_many_reply>(m.requests);
}
host_promise<context_reply> host_requests::context(const context_message& m) const {
  return one<context_run>(m.request);
}

} // namespace mneme
