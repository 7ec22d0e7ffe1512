#pragma once
/// The paths of Zep's clients, below /api/v2.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mneme::server::zep {

enum class zep_page : std::uint8_t {
  users,
  users_ordered,
  user,
  user_threads,
  threads,
  thread,
  messages,
  messages_batch,
  context,
  graph_data,
  graph_batch,
  triple,
  create_graph,
  list_graphs,
  search,
  graph,
  edges_of,
  nodes_of,
  episodes_of,
  edge,
  node,
  episode,
  node_edges,
  entity_types,
};

struct zep_route {
  zep_page page{};
  std::string id{};   ///< of a user, a thread, a graph, an edge, a node, an episode
  std::string kind{}; ///< of `edges_of` and its like: user or graph
};

/// Nothing: there is no such path. `path` is as it was sent, %2F for a slash of an id.
std::optional<zep_route> zep_route_of(std::string_view path);
std::string_view methods_of(zep_page page);

} // namespace mneme::server::zep
