#pragma once
/// HTTP over TCP: cpp-httplib parses and writes, the limits are ours. A connection has a thread;
/// when all are taken, a new one takes the place of the one that has been waited for longest, so
/// that slow or silent clients never keep others out.

#include <memory>
#include <string>

#include "mneme/error.hpp"
#include "tools/server/http/http_message.hpp"

namespace mneme::server {

class http_server {
public:
  http_server(http_limits limits, http_handlers handlers);
  ~http_server();
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  /// Port 0 takes any that is free. Answers the port.
  result<int> bind(const std::string& host, int port);
  /// Serves until stop(); then finishes what is under way.
  void run();
  /// From any thread.
  void stop();
  /// The answer of the request that this thread handles holds so many bytes, until it has been
  /// sent. False, and it does not count: with the others it would go beyond
  /// http_limits::answer_bytes. One that `must` be given, and one beside which there is no other,
  /// always has room.
  bool hold_answer(std::size_t bytes, bool must);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme::server
