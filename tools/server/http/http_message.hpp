#pragma once
/// A request and its response as the routes see them.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/server/access/client.hpp"

namespace mneme::server {

struct http_request {
  std::string method;
  std::string path;     ///< decoded, without the query
  std::string raw_path; ///< as it was sent: a slash in a name is no end of it
  std::multimap<std::string, std::string> query;
  std::multimap<std::string, std::string> headers; ///< names in lower case
  std::string body;
  client who; ///< set by the check of the head

  /// The first of that name, or "".
  [[nodiscard]] std::string_view header(std::string_view name) const;
  [[nodiscard]] bool has_header(std::string_view name) const;
};

/// Sends one piece of a streamed body; false when the client is gone. An empty one only asks that.
using piece_sender = std::function<bool(std::string_view piece)>;

struct http_response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
  /// Instead of `body`: sends it piece by piece.
  std::function<void(const piece_sender&)> stream{};
};

struct http_limits {
  std::size_t body_bytes = 16U << 20;
  /// Of all answers that are being made or sent, but for small ones.
  std::size_t answer_bytes = 128U << 20;
  std::size_t header_bytes = 16U << 10; ///< request line and headers together
  std::int64_t request_ms = 30'000;     ///< to send a request, and to take its answer
  std::int64_t idle_ms = 60'000;        ///< between two requests of a connection
  std::size_t connections = 256;
};

struct http_handlers {
  /// Judges a request by its head, before its body is read; may set `who`. Nothing: go on.
  std::function<std::optional<http_response>(http_request& head)> check;
  std::function<http_response(const http_request& request)> handle;
  /// An error of HTTP itself (400, 408, 413, 431, 503), as a body.
  std::function<http_response(int status, std::string_view code, std::string_view message)> refuse;
  /// A connection that was turned away or broken off.
  std::function<void(std::string_view why)> on_refused_connection;
  /// The answer of this thread has been made and took much memory to make; unless it is streamed,
  /// it is not sent yet.
  std::function<void()> on_large_answer;
  std::function<void()> on_connection_opened;
  std::function<void()> on_connection_closed;
};

} // namespace mneme::server
