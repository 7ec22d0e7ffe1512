// The blocking facade: the change feed.

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "actors/change_pages.hpp"
#include "actors/engine_impl.hpp"
#include "query/changes/changes.hpp"

namespace mneme {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// An arm that waits may get another world meanwhile, whose commits it is not woken by.
constexpr milliseconds arms_look_again{50};

/// Erasing changes payloads in place, which takes a moment.
constexpr int most_tries = 500;
constexpr milliseconds between_tries{20};

/// The subscription whose call this thread is in.
thread_local const void* under_way = nullptr;

} // namespace

result<changes_result> engine::impl::changes_now(running_engine& of,
                                                 const changes_request& request) {
  return guarded(read_change_page(*of.state, request, time_of(request)),
                 {.actor = request.actor, .at_seq = {}, .scope = request.scope}, "the change feed");
}

result<changes_result> engine::impl::changes(changes_request request,
                                             const std::atomic<bool>& is_over) {
  if (auto ok = check_changes(request); !ok) return propagate(ok);
  if (auto ok = check_positive(request.deadline_ms, "deadline_ms"); !ok) return propagate(ok);
  return inside([&](world&) -> result<changes_result> {
    const auto until = steady_clock::now() + milliseconds(request.wait_ms);
    for (int tries = 0;;) {
      const auto of = now();
      const feed_head& head = of->state->feed;
      if ((request.wait_ms > 0 || tries > 0) && arm == nullptr) feed.start(*of->state);
      const std::uint32_t rings = head.rings();
      auto page = changes_now(*of, request);
      if (!page && page.error().code == errc::busy && ++tries < most_tries) {
        head.wait(rings, steady_clock::now() + between_tries);
        continue;
      }
      if (!page || !page->changes.empty() || page->more) return page;
      const auto time = steady_clock::now();
      if (time >= until || is_over || feed.is_over) return page;
      request.since = page->next; // what is not wanted is not looked at again
      const bool was_rung =
          head.wait(rings, arm == nullptr ? until : std::min(until, time + arms_look_again));
      if (!was_rung && arm == nullptr) return page;
    }
  });
}

result<changes_result> engine::changes(changes_request request) {
  static const std::atomic<bool> never{false};
  return impl_->changes(std::move(request), never);
}

void engine::stop_waiting() {
  const auto pass = impl_->gate.enter();
  if (!pass) return;
  impl_->feed.is_over = true;
  if (impl_->arm == nullptr) impl_->running->state->feed.end();
}

struct subscription::state {
  state(engine::impl& its, changes_request what, std::function<void(const change&)> call)
      : impl(&its), gate(its.gate), request(std::move(what)), on_change(std::move(call)) {}

  engine::impl* impl; ///< there while somebody holds a pass
  call_gate gate;
  changes_request request;
  std::function<void(const change&)> on_change;
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> stopping{false};
  std::mutex guard;
  std::optional<error> problem; ///< guarded
  std::thread thread;

  void run() {
    under_way = this;
    while (!stopping)
      if (auto told = tell_page(); !told) {
        const std::scoped_lock lock(guard);
        problem = std::move(told.error());
        return;
      }
  }

  result<void> tell_page() {
    const auto pass = gate.enter();
    if (!pass || impl->feed.is_over) return std::unexpected(was_closed);
    request.since = seq_no{next};
    auto page = impl->changes(request, stopping);
    if (!page) return propagate(page);
    for (const change& c : page->changes) {
      if (stopping) return {};
      if (impl->feed.is_over) return std::unexpected(was_closed);
      on_change(c);
      next = c.seq.value;
    }
    next = page->next.value;
    return {};
  }

  void stop() {
    if (stopping.exchange(true)) return;
    if (const auto pass = gate.enter()) impl->now()->state->feed.ring();
    if (under_way == this)
      thread.detach();
    else
      thread.join();
  }
};

result<subscription> engine::subscribe(changes_request request,
                                       std::function<void(const change&)> on_change) {
  const auto pass = impl_->gate.enter();
  if (!pass) return std::unexpected(was_closed);
  request.wait_ms = 0;
  auto first = changes(request); // what is wrong is told here
  if (!first) return propagate(first);
  const seq_no from = request.since.value_or(first->next);
  request.wait_ms = most_wait_ms;
  auto made =
      std::make_shared<subscription::state>(*impl_, std::move(request), std::move(on_change));
  made->next = from.value;
  made->thread = std::thread([made] { made->run(); });
  return subscription(std::move(made));
}

subscription::~subscription() {
  stop();
}

subscription& subscription::operator=(subscription&& other) noexcept {
  if (this == &other) return *this;
  stop();
  state_ = std::move(other.state_);
  return *this;
}

void subscription::stop() {
  if (state_ != nullptr) state_->stop();
}

seq_no subscription::next() const {
  return {state_ == nullptr ? 0 : state_->next.load()};
}

std::optional<error> subscription::ended() const {
  if (state_ == nullptr) return std::nullopt;
  const std::scoped_lock lock(state_->guard);
  return state_->problem;
}

} // namespace mneme
