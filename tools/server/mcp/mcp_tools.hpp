#pragma once
/// The tools of the Model Context Protocol server: each is one or two requests of the line
/// protocol, with a schema made of the tables that validate them.

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "tools/server/access/client.hpp"
#include "tools/server/access/door.hpp"
#include "tools/server/answer.hpp"

namespace mneme::server {

struct tool_spec {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  /// The ops that it maps onto; its arguments are the keys of all of them.
  std::span<const std::string_view> ops;
  /// Keys that are not offered.
  std::span<const std::string_view> hidden{};
  bool is_read_only = false;
  bool is_destructive = false;
  bool is_idempotent = false;
  bool erases = false;   ///< there only where the host said so
  bool is_basic = false; ///< one of the few that do for most agents
  /// The request for these arguments; null: the first op takes them as they are.
  result<json> (*build)(const json& arguments) = nullptr;
  /// Replaces required keys of the ops in the schema; text of a JSON object that is merged in.
  std::string_view schema_patch{};
};

std::span<const tool_spec> tools() noexcept;
const tool_spec* find_tool(std::string_view name) noexcept;

/// How `who` sees the tool: name, schemas, annotations.
json tool_json(const tool_spec& tool, const client& who);
/// What tools there are. All of them take an agent some 15,000 tokens to read, the basic ones a
/// third.
struct tool_choice {
  bool erases = false; ///< beside the others
  bool only_basic = false;
};
/// Whether the tool is one of this server's at all.
bool is_there(const tool_spec& tool, const tool_choice& choice) noexcept;
/// Tools that a read-only key, or one of an actor, does not see are refused all the same if they
/// are called.
bool is_offered(const tool_spec& tool, const client& who) noexcept;
/// The answer of the engine for these arguments, and the op that gave it.
std::pair<std::string, answer> call_tool(door& to, const client& who, const tool_spec& tool,
                                         const json& arguments);

} // namespace mneme::server
