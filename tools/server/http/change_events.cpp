#include "tools/server/http/change_events.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/shape.hpp"
#include "tools/server/http/routes.hpp"

namespace mneme::server {

namespace {

constexpr std::int64_t most_at_once = 100;

/// The page as events. One without changes moves the client's last id on, and calls nobody.
std::string events_of(const json& page) {
  std::string text;
  for (const auto& change : page["changes"])
    text += fmt::format("id: {}\ndata: {}\n\n", change["seq"].get<std::uint64_t>(),
                        protocol::print(change));
  if (text.empty())
    text = fmt::format("id: {}\n: nothing new\n\n", page["next"].get<std::uint64_t>());
  return text;
}

} // namespace

bool wants_events(const http_request& request) {
  const auto accept = request.header("accept");
  return request.method == "GET"
         && (accept.find("text/event-stream") != std::string_view::npos
             || accept.find("application/json") == std::string_view::npos);
}

http_response change_events(gateway& to, stream_places& places, const client& who, json request,
                            std::function<bool()> may_go_on) {
  auto place = places.take();
  if (place == nullptr) return refuse(503, "busy", "as many streams are open as may be; try again");
  request["wait_ms"] = 0;
  if (!protocol::is_given(request, "limit")) request["limit"] = most_at_once;
  answer first = to.run(who, "changes", request); // what is wrong has a status of its own
  if (!is_ok(first)) return respond(first);
  http_response response{.content_type = "text/event-stream"};
  response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("X-Accel-Buffering", "no");
  response.stream = [&to, &places, who, request = std::move(request), place = std::move(place),
                     may_go_on = std::move(may_go_on),
                     page = std::move(first.body)](const piece_sender& send) mutable {
    constexpr std::int64_t wait_ms = 1'000; // a client that is gone gives its place back so soon
    std::int64_t silent_ms = heartbeat_ms;  // the first page is sent, whatever is in it
    const auto is_heard = [&] {
      const bool is_due = !page["changes"].empty() || silent_ms >= heartbeat_ms;
      silent_ms = is_due ? 0 : silent_ms + wait_ms;
      return send(is_due ? events_of(page) : std::string());
    };
    while (is_heard() && !places.are_over() && may_go_on()) {
      request["since"] = page["next"];
      request["wait_ms"] = wait_ms;
      answer next = to.run(who, "changes", request);
      if (!is_ok(next)) {
        send(fmt::format("event: error\ndata: {}\n\n", protocol::print(next.body["error"])));
        return;
      }
      page = std::move(next.body);
    }
  };
  return response;
}

} // namespace mneme::server
