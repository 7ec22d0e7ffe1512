#pragma once
/// Names of hosts: what may be bound without keys, and which Host and Origin a browser may send.

#include <string>
#include <string_view>
#include <vector>

#include "mneme/error.hpp"

namespace mneme::server {

struct listen_address {
  std::string host;
  int port = 0;
};
/// "127.0.0.1:8765", "[::1]:8765", "localhost:0".
result<listen_address> parse_listen(std::string_view text);

/// localhost, 127.0.0.0/8, ::1.
bool is_loopback(std::string_view host) noexcept;
/// The host of a Host header, "name[:port]" or "[v6][:port]"; empty if it is malformed.
std::string host_of_header(std::string_view header);
/// A name that a user allows, as the hosts of headers are compared: in lower case and without a
/// port; empty if it is malformed.
std::string host_of_option(std::string_view text);
/// The host of an Origin, "scheme://host[:port]"; empty if it is malformed, as "null" is.
std::string host_of_origin(std::string_view origin);

/// Which hosts requests may be addressed to. On loopback only loopback names: a page of another
/// site that resolves its own name to 127.0.0.1 is turned away.
struct host_rule {
  bool is_on_loopback = true;
  std::vector<std::string> allowed; ///< beside loopback; elsewhere, if any, only these

  [[nodiscard]] bool admits(std::string_view host_header, std::string_view origin) const;
};

} // namespace mneme::server
