#pragma once
/// The routes of `mneme serve`: each maps onto a request of the line protocol, or is the server's
/// own (health, metrics, openapi, mcp).

#include <memory>
#include <vector>

#include "tools/server/access/api_keys.hpp"
#include "tools/server/access/gateway.hpp"
#include "tools/server/clients/client_wire.hpp"
#include "tools/server/http/http_host.hpp"
#include "tools/server/http/http_message.hpp"
#include "tools/server/http/stream_places.hpp"

namespace mneme::server {

class mcp_http;

class routes {
public:
  /// Borrows all, and `keys` unless it is null: then everybody is the host.
  /// The paths of `wires` go before our own.
  routes(gateway& to, key_ring* keys, host_rule hosts, mcp_http& mcp, stream_places& streams,
         std::vector<std::unique_ptr<client_wire>> wires)
      : to_(to),
        keys_(keys),
        hosts_(std::move(hosts)),
        mcp_(mcp),
        streams_(streams),
        wires_(std::move(wires)) {}

  /// Host, key, route, method and type of the body: all that is known before the body is read.
  std::optional<http_response> check(http_request& head);
  http_response handle(const http_request& request);

private:
  /// Whose path it is; null: our own, or nobody's.
  [[nodiscard]] client_wire* wire_of(const http_request& request) const;
  /// Of a request whose Host and Origin are served.
  std::optional<http_response> judge(http_request& head);
  http_response answer_of(const http_request& request);
  std::optional<http_response> authenticate(http_request& head, const client_wire* wire);
  http_response health();
  http_response changes(const http_request& request);
  http_response memory(const http_request& request);
  http_response proof(const http_request& request);
  http_response root(const http_request& request);
  http_response metrics_page(const http_request& request);

  gateway& to_;
  key_ring* keys_;
  host_rule hosts_;
  mcp_http& mcp_;
  stream_places& streams_;
  std::vector<std::unique_ptr<client_wire>> wires_;
};

/// An answer as a response, with Retry-After where it is due.
http_response respond(const answer& a);
http_response refuse(int status, std::string_view code, std::string_view message);

/// The op of POST /v1/NAME; empty: none. `query` is retrieve.
std::string_view op_of_route(std::string_view path) noexcept;

} // namespace mneme::server
