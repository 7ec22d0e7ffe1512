#include "tools/server/access/shared_door.hpp"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "tools/protocol/shape.hpp"
#include "tools/server/access/shared_request.hpp"
#include "tools/server/http/request_time.hpp"

namespace mneme::server {

namespace {

constexpr int most_hosts_asked = 8; ///< one after the other, for one request
constexpr std::chrono::milliseconds between_tries{20};
constexpr std::int64_t most_waited_ms = 200; ///< by one request to another process

/// How long a request wants to wait; what is not right is for who runs it to refuse.
std::int64_t waiting_ms(std::string_view op, const json& request) {
  if (!request.is_object()) return 0;
  const bool is_named = protocol::is_given(request, "op") && request["op"] == "changes";
  if (op != "changes" && !is_named) return 0;
  const auto wait = request.find("wait_ms");
  constexpr std::int64_t most = 60'000;
  if (wait == request.end() || !wait->is_number_integer() || *wait > most) return 0;
  return wait->get<std::int64_t>();
}

} // namespace

struct shared_door::hosted {
  hosted(engine opened, const sharing_options& options)
      : world(std::move(opened)), to(world, options.directory, options.most_ms) {}

  engine world;
  gateway to;
  std::optional<kept_fresh> fresh;
  std::unique_ptr<sharing::world_listener> listener; ///< goes first
};

shared_door::shared_door(opener open, sharing_options options)
    : open_(std::move(open)), options_(std::move(options)) {
}

shared_door::~shared_door() {
  static_cast<void>(close());
}

result<std::unique_ptr<shared_door>> shared_door::make(opener open, sharing_options options) {
  std::unique_ptr<shared_door> made(new shared_door(std::move(open), std::move(options)));
  if (auto ok = made->settle(0); !ok) return propagate(ok);
  return made;
}

engine* shared_door::here() const {
  const std::shared_lock hold(moving_);
  return here_ == nullptr ? nullptr : &here_->world;
}

/// Who waits for changes elsewhere asks again and again: neither process is held up by it when it
/// ends.
answer shared_door::run(const client& who, std::string_view op, json request,
                        const std::optional<error>& oversized) {
  std::int64_t wait_ms = here() == nullptr ? waiting_ms(op, request) : 0;
  while (wait_ms > most_waited_ms && !stops_waiting_) {
    request["wait_ms"] = most_waited_ms;
    answer page = run_once(who, op, request, oversized);
    if (!is_ok(page) || page.body["more"] == true || !page.body["changes"].empty()) return page;
    request["since"] = page.body["next"];
    wait_ms -= most_waited_ms;
    request["wait_ms"] = stops_waiting_ ? 0 : wait_ms;
  }
  return run_once(who, op, std::move(request), oversized);
}

answer shared_door::run_once(const client& who, std::string_view op, json request,
                             const std::optional<error>& oversized) {
  std::string bytes; // made when it is needed
  for (int i = 0; i < most_hosts_asked; ++i) {
    std::uint64_t since = 0;
    {
      const std::shared_lock hold(moving_);
      if (is_closed_) return failed({errc::shutdown, "the world was closed", {}});
      since = moves_;
      if (here_ != nullptr) return here_->to.run(who, op, std::move(request), oversized);
      if (oversized) return failed(*oversized);
      if (bytes.empty()) {
        if (options_.most_ms > 0) limit_time(request, op, options_.most_ms);
        bytes = encode(shared_request{.who = who, .op = std::string(op), .request = request});
      }
      std::string answered;
      const fate what = ask_host(bytes, answered);
      if (what == fate::answered) {
        auto read = decode_answer(answered);
        return read ? std::move(*read) : failed(read.error());
      }
      // What was sent is done when it goes on.
      if (what == fate::stopped)
        return failed(
            {may_be_repeated(op, request) ? errc::busy : errc::outcome_unknown, answered, {}});
      if (what == fate::unknown && !may_be_repeated(op, request))
        return failed({errc::outcome_unknown,
                       "the process that had the world open ended before it answered: what was "
                       "asked may have been done",
                       {}});
    }
    if (auto ok = settle(since); !ok) return failed(ok.error());
  }
  return failed({errc::busy, "whoever has the world open ends before it answers", {}});
}

shared_door::fate shared_door::ask_host(const std::string& request, std::string& answered) {
  auto stream = stream_to_host();
  if (!stream || !stream->send(request)) return fate::not_sent;
  auto received = stream->receive(most_answer_bytes);
  if (!received && received.error().code == errc::busy) {
    answered = received.error().message;
    return fate::stopped;
  }
  if (!received) return fate::unknown;
  answered = std::move(*received);
  const std::lock_guard hold(resting_);
  streams_.push_back(std::move(*stream));
  return fate::answered;
}

result<sharing::frame_stream> shared_door::stream_to_host() {
  {
    const std::lock_guard hold(resting_);
    while (!streams_.empty()) {
      sharing::frame_stream last = std::move(streams_.back());
      streams_.pop_back();
      if (!last.is_spent()) return last;
    }
  }
  return sharing::connect_to(options_.directory);
}

result<void> shared_door::settle(std::uint64_t since) {
  const std::unique_lock hold(moving_);
  if (is_closed_ || moves_ != since) return {}; // somebody else has
  streams_.clear();
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.patience_ms);
  for (;;) {
    auto settled = try_to_settle();
    if (!settled) {
      if (settled.error().code != errc::busy || std::chrono::steady_clock::now() > until)
        return propagate(settled);
    } else {
      ++moves_;
      return {};
    }
    std::this_thread::sleep_for(between_tries);
  }
}

result<std::string> shared_door::world_told_by(sharing::frame_stream& host) {
  const shared_request root{.who = {}, .op = "root", .request = json::object()};
  if (host.send(encode(root)))
    if (auto received = host.receive(most_answer_bytes))
      if (auto told = decode_answer(*received); told && is_ok(*told))
        return told->body.value("world_id", "");
  return fail(errc::busy, "whoever has the world open ends before it answers");
}

result<void> shared_door::settle_on(const std::string& world_id) {
  if (world_id_.empty()) world_id_ = world_id;
  if (world_id == world_id_) return {};
  return fail(errc::not_found,
              options_.directory + " has another world now than when it was opened: open it anew");
}

result<void> shared_door::try_to_settle() {
  if (auto stream = sharing::connect_to(options_.directory)) {
    auto told = world_told_by(*stream);
    if (!told) return propagate(told);
    if (auto ok = settle_on(*told); !ok) return ok;
    streams_.push_back(std::move(*stream));
    return {};
  }
  auto opened = open_(moves_ == 0);
  if (!opened) return propagate(opened);
  auto now = opened->root();
  if (!now) return propagate(now);
  if (auto ok = settle_on(to_hex(now->world)); !ok) return ok;
  auto fresh = std::make_unique<hosted>(std::move(*opened), options_);
  if (options_.beside_writer) {
    fresh->fresh.emplace(fresh->world, options_.directory, [this] { return open_(false); });
    fresh->to.keep_fresh(*fresh->fresh);
    here_ = std::move(fresh);
    return {};
  }
  auto listener = sharing::world_listener::listen(
      options_.directory,
      [to = &fresh->to](std::string_view bytes) { return answer_shared(*to, bytes); });
  // A file system that has no sockets: others find the world busy.
  if (listener) fresh->listener = std::move(*listener);
  here_ = std::move(fresh);
  return {};
}

void shared_door::stop_waiting() {
  stops_waiting_ = true;
  if (engine* const own = here()) own->stop_waiting();
}

result<void> shared_door::close() {
  stop_waiting();
  const std::unique_lock hold(moving_);
  if (std::exchange(is_closed_, true)) return fail(errc::shutdown, "the world was closed");
  streams_.clear();
  if (here_ == nullptr) return {};
  here_->listener.reset();
  return here_->world.close();
}

} // namespace mneme::server
