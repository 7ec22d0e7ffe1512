#pragma once
/// The nine tools of the reference memory server, over topics: an entity is a topic (title,
/// topic_kind), its observations are the list value of the field `observations`, so that changes
/// have history, and a relation is a related_to edge. Several relations between the same two
/// entities are one edge, whose data lists them. A name that only a relation says is a topic of
/// that title, and no entity until somebody makes it one.

#include "tools/server/access/door.hpp"
#include "tools/server/access/world_turns.hpp"
#include "tools/server/mcp/tool_set.hpp"

namespace mneme::server {

/// The whole graph as a resource.
inline constexpr std::string_view knowledge_graph_uri = "memory://knowledge-graph";

class reference_memory final : public tool_set {
public:
  reference_memory(door& to, world_turns& turns) : to_(to), turns_(turns) {}

  [[nodiscard]] json tools_for(const client& who) const override;
  [[nodiscard]] bool has(std::string_view name) const override;
  json call(const client& who, std::string_view name, const json& arguments) override;

  /// May a call of it change the graph?
  static bool changes(std::string_view name);
  /// What the resource says.
  result<json> graph(const client& who);

private:
  /// What the reference server would answer as structured content; an error is the engine's.
  result<json> run(const client& who, std::string_view name, const json& arguments);

  door& to_;
  world_turns& turns_; ///< a change of observations or relations reads first
};

} // namespace mneme::server
