#pragma once
/// The Model Context Protocol over streamable HTTP: POST carries one message, DELETE ends a
/// session, GET tells a session as events what changes of resources. An answer is JSON, or an event
/// stream where progress was asked for.

#include <atomic>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "tools/server/http/http_message.hpp"
#include "tools/server/http/stream_places.hpp"
#include "tools/server/mcp/mcp_server.hpp"

namespace mneme::server {

class mcp_http {
public:
  /// Borrows all.
  mcp_http(mcp_server& server, door& to, stream_places& streams)
      : server_(server), to_(to), streams_(streams) {}

  /// The request was authenticated, and its method is GET, POST or DELETE.
  http_response handle(const http_request& request);

private:
  struct session {
    std::string id;
    std::string key_id; ///< of who opened it
    std::mutex mutex{};
    std::set<std::string> running{}; ///< printed ids of requests
    std::set<std::string> cancelled{};
    resource_feed feed{};
    std::atomic<std::uint64_t> streams{0}; ///< so far; the last of them tells
    std::mutex telling{};                  ///< of what follows, by a stream at a time
    std::deque<std::pair<std::uint64_t, std::string>> told{}; ///< the last events, by their ids
    std::uint64_t last_event = 0;
    std::uint64_t heard = 0; ///< the last that a connection has taken
    std::atomic<bool> is_over{false};
  };
  using session_ptr = std::shared_ptr<session>;

  http_response post(const http_request& request);
  /// What changes, as events. A stream takes the place of the one before it, whose client may have
  /// lost it without a word, and goes on behind Last-Event-ID, or where that one was broken off.
  http_response tell(const http_request& request, const session_ptr& in);
  http_response initialize(const http_request& request, const json& message);
  http_response run(const http_request& request, const session_ptr& in, const json& message);
  /// The session of the request's header, or the refusal.
  session_ptr find(const http_request& request, http_response& refusal);
  session_ptr open(const client& who);
  /// Under the lock.
  session_ptr add(std::string id, const client& who);
  bool close(const std::string& id);
  /// Sends what is new to it; false: nobody hears it any more, or another stream has its place.
  bool tell_once(session& in, const client& who, std::uint64_t stream, const piece_sender& send,
                 bool& has_told);
  static void cancel(session& in, const json& message);

  mcp_server& server_;
  door& to_;
  stream_places& streams_;
  std::mutex mutex_;
  std::list<session_ptr> sessions_; ///< the one used last is first
  std::deque<std::string> ended_;   ///< the last that clients ended
};

} // namespace mneme::server
