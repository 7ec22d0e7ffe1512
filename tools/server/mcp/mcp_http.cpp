#include "tools/server/mcp/mcp_http.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/text/lower_case.hpp"
#include "mneme/seams.hpp"
#include "tools/server/http/change_events.hpp"

namespace mneme::server {

namespace {

/// Of one key; without keys, of all clients together. Beyond it the one that was unused for longest
/// ends; its client opens another.
constexpr std::size_t most_sessions = 1024;
/// What a client that names no version is taken to speak; of what is used here it differs in
/// nothing but batches, which no version here has.
constexpr std::string_view unstated_version = "2025-03-26";
constexpr const char* session_header = "Mcp-Session-Id";

http_response as_response(int status, const json& message) {
  return {.status = status, .body = protocol::print(message)};
}

http_response rpc_refusal(int status, rpc_code code, std::string_view text,
                          const json& id = nullptr) {
  return as_response(status, rpc_error(id, code, text));
}

http_response accepted() {
  return {.status = 202};
}

std::string new_session_id() {
  std::array<std::uint8_t, 16> bits{};
  make_system_random()->fill(bits);
  std::string text;
  for (const std::uint8_t b : bits) text += fmt::format("{:02x}", b);
  return text;
}

bool is_session_id(std::string_view id) {
  constexpr std::size_t digits = 32;
  return id.size() == digits && id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool accepts(std::string_view given, std::string_view type) {
  const std::string header = lower_ascii(given);
  return header.find(type) != std::string_view::npos
         || header.find("*/*") != std::string_view::npos;
}

bool wants_progress(const json& message) {
  return message.contains("params") && message["params"].is_object()
         && message["params"].contains("_meta") && message["params"]["_meta"].is_object()
         && message["params"]["_meta"].contains("progressToken");
}

std::string event_of(const json& message) {
  return "event: message\ndata: " + protocol::print(message) + "\n\n";
}

/// Nothing: a client that begins, or an id of another server.
std::optional<std::uint64_t> event_id_of(std::string_view header) {
  std::uint64_t id = 0;
  const auto read = std::from_chars(header.data(), header.data() + header.size(), id);
  if (header.empty() || read.ec != std::errc{} || read.ptr != header.data() + header.size())
    return std::nullopt;
  return id;
}

} // namespace

http_response mcp_http::handle(const http_request& request) {
  const auto version = request.header("mcp-protocol-version");
  if (!version.empty() && version != unstated_version && !mcp_server::knows_version(version))
    return rpc_refusal(400, rpc_code::invalid_request,
                       fmt::format("protocol version {} is not spoken here", version));
  if (request.method == "POST") return post(request);
  http_response refusal;
  const auto found = find(request, refusal);
  if (found == nullptr) return refusal;
  if (request.method != "DELETE") return tell(request, found);
  found->is_over = true;
  close(found->id);
  return {.status = 204};
}

http_response mcp_http::post(const http_request& request) {
  if (!accepts(request.header("accept"), "application/json")
      || !accepts(request.header("accept"), "text/event-stream"))
    return rpc_refusal(406, rpc_code::invalid_request,
                       "Accept must name application/json and text/event-stream");
  auto message = protocol::parse_json(request.body);
  if (!message)
    return rpc_refusal(400, rpc_code::parse_error, message.error().message,
                       id_of_unread(request.body));
  const auto kind = kind_of(*message);
  if (kind == rpc_kind::invalid)
    return rpc_refusal(400, rpc_code::invalid_request, "not one message of JSON-RPC 2.0",
                       id_of(*message));
  if (kind == rpc_kind::request && (*message)["method"] == "initialize")
    return initialize(request, *message);
  http_response refusal;
  const auto in = find(request, refusal);
  if (in == nullptr) return refusal;
  if (kind == rpc_kind::notification && (*message)["method"] == "notifications/cancelled")
    cancel(*in, *message);
  if (kind != rpc_kind::request) return accepted();
  return run(request, in, *message);
}

http_response mcp_http::tell(const http_request& request, const session_ptr& in) {
  if (!accepts(request.header("accept"), "text/event-stream"))
    return rpc_refusal(406, rpc_code::invalid_request, "Accept must name text/event-stream");
  auto place = streams_.take();
  if (place == nullptr)
    return rpc_refusal(503, rpc_code::internal_error, "as many streams are open as may be");
  const std::uint64_t stream = ++in->streams;
  http_response response{.content_type = "text/event-stream"};
  response.headers.emplace_back("Cache-Control", "no-store");
  response.stream = [this, who = request.who, in, stream, place = std::move(place),
                     seen =
                         event_id_of(request.header("last-event-id"))](const piece_sender& send) {
    {
      const std::scoped_lock lock(in->telling);
      if (seen) in->heard = *seen;
    }
    bool is_heard = send(": listening\n\n");
    constexpr std::chrono::milliseconds between_tries{100}; // where it was refused, say
    auto next_beat = std::chrono::steady_clock::now();
    while (is_heard && !in->is_over && !streams_.are_over()) {
      bool has_told = false;
      is_heard = tell_once(*in, who, stream, send, has_told);
      if (!is_heard || has_told) continue;
      std::this_thread::sleep_for(between_tries);
      const auto now = std::chrono::steady_clock::now();
      const bool is_due = now >= next_beat;
      if (is_due) next_beat = now + std::chrono::milliseconds(heartbeat_ms);
      is_heard = send(is_due ? ": nothing new\n\n" : "");
    }
  };
  return response;
}

bool mcp_http::tell_once(session& in, const client& who, std::uint64_t stream,
                         const piece_sender& send, bool& has_told) {
  constexpr std::int64_t wait_ms = 1'000; // a session that ends is seen so soon
  constexpr std::size_t most_kept = 256;
  const std::scoped_lock lock(in.telling);
  if (in.streams != stream) return false;
  if (!in.feed.has_begun()) in.feed.begin(to_, who);
  for (const json& note : in.feed.poll(to_, who, in.heard < in.last_event ? 0 : wait_ms)) {
    const std::uint64_t id = ++in.last_event;
    in.told.emplace_back(id, fmt::format("id: {}\n{}", id, event_of(note)));
    if (in.told.size() > most_kept) in.told.pop_front();
  }
  for (const auto& [id, event] : in.told) {
    if (id <= in.heard) continue;
    if (!send(event)) return false;
    in.heard = id;
    has_told = true;
  }
  in.heard = in.last_event; // what is kept no more is not told
  return true;
}

http_response mcp_http::initialize(const http_request& request, const json& message) {
  const json answer = server_.handle(request.who, message, [](const json&) {});
  http_response response = as_response(200, answer);
  if (answer.contains("result"))
    response.headers.emplace_back(session_header, open(request.who)->id);
  return response;
}

http_response mcp_http::run(const http_request& request, const session_ptr& in,
                            const json& message) {
  const std::string id = protocol::print(message["id"]);
  {
    const std::scoped_lock lock(in->mutex);
    in->running.insert(id);
  }
  /// True if the answer is still wanted.
  const auto finish = [in, id] {
    const std::scoped_lock lock(in->mutex);
    in->running.erase(id);
    return in->cancelled.erase(id) == 0;
  };
  if (!wants_progress(message)) {
    const json answer = server_.handle(request.who, message, [](const json&) {}, &in->feed);
    return finish() ? as_response(200, answer) : accepted();
  }
  http_response response{.content_type = "text/event-stream"};
  response.headers.emplace_back("Cache-Control", "no-store");
  response.stream = [this, who = request.who, in, message, finish](const piece_sender& send) {
    const json answer =
        server_.handle(who, message, [&](const json& note) { send(event_of(note)); }, &in->feed);
    if (finish()) send(event_of(answer));
  };
  return response;
}

mcp_http::session_ptr mcp_http::open(const client& who) {
  const std::scoped_lock lock(mutex_);
  return add(new_session_id(), who);
}

mcp_http::session_ptr mcp_http::add(std::string id, const client& who) {
  auto made = std::make_shared<session>();
  made->id = std::move(id);
  made->key_id = who.key_id;
  sessions_.push_front(made);
  const auto is_of_key = [&](const session_ptr& s) { return s->key_id == who.key_id; };
  if (static_cast<std::size_t>(std::ranges::count_if(sessions_, is_of_key)) > most_sessions)
    sessions_.erase(
        std::prev(std::find_if(sessions_.rbegin(), sessions_.rend(), is_of_key).base()));
  return made;
}

bool mcp_http::close(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  ended_.push_back(id);
  if (ended_.size() > most_sessions) ended_.pop_front();
  return std::erase_if(sessions_, [&](const session_ptr& s) { return s->id == id; }) > 0;
}

mcp_http::session_ptr mcp_http::find(const http_request& request, http_response& refusal) {
  const auto id = request.header("mcp-session-id");
  if (id.empty()) {
    refusal = rpc_refusal(400, rpc_code::invalid_request, "the header Mcp-Session-Id is missing");
    return nullptr;
  }
  const std::scoped_lock lock(mutex_);
  const auto found =
      std::ranges::find_if(sessions_, [&](const session_ptr& s) { return s->id == id; });
  const bool is_known = found != sessions_.end();
  // Of a server before this one: it holds nothing but what a stream tells, and whoever has it would
  // not come back from a refusal.
  if (!is_known && request.method == "POST" && is_session_id(id)
      && std::ranges::find(ended_, id) == ended_.end())
    return add(std::string(id), request.who);
  if (!is_known || (*found)->key_id != request.who.key_id) {
    refusal =
        rpc_refusal(404, rpc_code::invalid_request, "this session is over; initialize another");
    return nullptr;
  }
  sessions_.splice(sessions_.begin(), sessions_, found);
  return *found;
}

void mcp_http::cancel(session& in, const json& message) {
  const json params = message.value("params", json::object());
  if (!params.is_object() || !params.contains("requestId")) return;
  const std::string id = protocol::print(params["requestId"]);
  const std::scoped_lock lock(in.mutex);
  if (in.running.contains(id)) in.cancelled.insert(id);
}

} // namespace mneme::server
