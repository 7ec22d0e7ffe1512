#pragma once
/// Tools of another project beside our own, under their own names (`--compat`).

#include <functional>
#include <string_view>

#include "tools/server/access/client.hpp"
#include "tools/server/mcp/mcp_message.hpp"

namespace mneme::server {

class tool_set {
public:
  virtual ~tool_set() = default;

  /// Descriptions of those that the client may use.
  [[nodiscard]] virtual json tools_for(const client& who) const = 0;
  [[nodiscard]] virtual bool has(std::string_view name) const = 0;
  /// The result of a call: content, isError and what else the tool gives. From any thread.
  virtual json call(const client& who, std::string_view name, const json& arguments) = 0;
};

} // namespace mneme::server
