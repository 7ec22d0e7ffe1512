#pragma once
/// Where a server's requests go: to the engine of this process, or to another one that has the
/// world open.

#include <optional>
#include <string_view>

#include "tools/server/access/client.hpp"
#include "tools/server/answer.hpp"

namespace mneme::server {

class door {
public:
  virtual ~door() = default;

  /// A request object; `op` is what it has to be, or empty for a request that names its own. From
  /// any thread.
  virtual answer run(const client& who, std::string_view op, json request,
                     const std::optional<error>& oversized) = 0;
  answer run(const client& who, std::string_view op, json request) {
    return run(who, op, std::move(request), std::nullopt);
  }
};

} // namespace mneme::server
