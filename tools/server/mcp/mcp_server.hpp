#pragma once
/// The Model Context Protocol over a door, whatever carries the messages: versions 2025-06-18
/// and 2025-11-25; tools, resources, prompts, progress. Thread-safe.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/server/access/door.hpp"
#include "tools/server/access/world_turns.hpp"
#include "tools/server/mcp/mcp_message.hpp"
#include "tools/server/mcp/mcp_tools.hpp"
#include "tools/server/mcp/reference_memory.hpp"
#include "tools/server/mcp/resource_feed.hpp"

namespace mneme::server {

inline constexpr std::string_view context_uri = "mneme://context";
inline constexpr std::string_view root_uri = "mneme://root";
/// The '#' of a memory's uri may come escaped, since clients treat these as URLs.
std::string unescaped_uri(std::string uri);

struct mcp_options {
  std::string directory;         ///< the world's; empty in memory
  bool reference_memory = false; ///< also its nine tools, and its resource
  bool memory_files = false;     ///< also the file-shaped memory tool
  tool_choice tools{};
  std::size_t text_tokens = 2000; ///< of the text form of an answer
};

class mcp_server {
public:
  mcp_server(door& to, mcp_options options);

  /// The response to a request. Progress goes to `notify` where the request asks for it.
  /// `feed` is the session's, null where there is none.
  json handle(const client& who, const json& request, const notifier& notify,
              resource_feed* feed = nullptr);

  static bool knows_version(std::string_view version) noexcept;

private:
  struct call; // a request under way
  json dispatch(const call& c, const std::string& method);
  json list_tools(const client& who) const;
  json call_tool(const call& c);
  json tool_result(const call& c, const std::string& name, const json& arguments);
  json list_resources(const call& c);
  json read_resource(const call& c);
  json subscribe(const call& c, bool subscribes);
  json get_prompt(const call& c);
  [[nodiscard]] tool_set* set_of(std::string_view name) const;

  door& to_;
  mcp_options options_;
  world_turns turns_;
  std::vector<std::unique_ptr<tool_set>> sets_; ///< of others
  reference_memory* graph_ = nullptr;           ///< one of them, if it is there
};

} // namespace mneme::server
