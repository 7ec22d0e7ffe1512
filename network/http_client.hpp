#pragma once
/// One POST at a time, over libcurl. Blocks the caller, and can be broken off from another thread.
/// Follows no redirect (a key would go with it) and uses no proxy.

#include <cstdint>
#include <memory>
#include <string>

#include "mneme/error.hpp"

namespace mneme {

struct http_request {
  std::string url;
  std::string body; ///< JSON
  std::string key;  ///< a bearer token; empty = none
  std::int64_t timeout_ms = 0;
};

struct http_answer {
  long status = 0;
  std::string body;
};

class http_client {
public:
  http_client();
  ~http_client();
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  /// io if there is no answer: unreachable, too slow, or larger than 64 MiB. shutdown after stop().
  result<http_answer> post(const http_request& request);
  /// Ends a post() that is under way, and refuses later ones. From any thread.
  void stop();

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme
