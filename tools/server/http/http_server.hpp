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
  /// Counts what the answer of the request that this thread handles holds, until it has been sent.
  /// False: beyond http_limits::answer_bytes, which are under way already.
  bool hold_answer(std::size_t bytes);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme::server
