#pragma once
/// The routes of another project's client, served beside our own: which paths there are, how its
/// clients show a key, and what its refusals look like. Each is an option of `mneme serve`.

#include <string_view>

#include "tools/server/http/http_message.hpp"

namespace mneme::server {

class client_wire {
public:
  virtual ~client_wire() = default;

  /// Methods that the request's path has, as "GET, PUT"; empty where it is none of this wire's.
  [[nodiscard]] virtual std::string_view methods_of(const http_request& request) const = 0;
  /// What stands before the key in Authorization, in lower case.
  [[nodiscard]] virtual std::string_view scheme() const = 0;
  /// A request of one of these paths and methods, whose key was found. From any thread.
  virtual http_response handle(const http_request& request) = 0;
  /// What the server itself refuses on one of these paths.
  [[nodiscard]] virtual http_response refuse(int status, std::string_view code,
                                             std::string_view message) const = 0;
};

} // namespace mneme::server
