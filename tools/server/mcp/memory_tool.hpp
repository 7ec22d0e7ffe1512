#pragma once
/// The file-shaped memory tool: view, create, str_replace, insert, delete and rename below
/// /memories, for models that were taught it.

#include "tools/server/access/door.hpp"
#include "tools/server/access/world_turns.hpp"
#include "tools/server/mcp/tool_set.hpp"

namespace mneme::server {

class memory_tool final : public tool_set {
public:
  memory_tool(door& to, world_turns& turns) : to_(to), turns_(turns) {}

  [[nodiscard]] json tools_for(const client& who) const override;
  [[nodiscard]] bool has(std::string_view name) const override;
  json call(const client& who, std::string_view name, const json& arguments) override;

private:
  /// The text that the tool gives; an error is what the model is told.
  result<std::string> run(const client& who, const json& arguments);

  door& to_;
  world_turns& turns_; ///< a change looks first
};

} // namespace mneme::server
