#pragma once
/// Zep's records as the engine keeps them: an episode or message is a Note, a node a Topic, a fact
/// between two nodes a Fact that refers to both; users, graphs and threads are Notes under their
/// names. What each belongs to is in its metadata (zep_kind, zep_graph), and a tag for searches.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/server/clients/engine_call.hpp"

namespace mneme::server::zep {

inline constexpr std::string_view episode_kind = "episode";
inline constexpr std::string_view edge_kind = "edge";
inline constexpr std::string_view node_kind = "node";
inline constexpr std::string_view users_shelf = "zep/users";
inline constexpr std::string_view graphs_shelf = "zep/graphs";
inline constexpr std::string_view threads_shelf = "zep/threads";

/// A user's own graph, or one by itself.
struct zep_graph {
  std::string kind; ///< user or graph
  std::string id;

  [[nodiscard]] std::string name() const { return kind + ":" + id; }
  [[nodiscard]] std::string_view shelf() const {
    return kind == "user" ? users_shelf : graphs_shelf;
  }
};

/// The one of `user_id` and `graph_id` that a body names.
outcome<zep_graph> graph_in(const json& body);
/// What of a kind a graph has, as a predicate, and as a tag, which others may have too.
json where_in(const zep_graph& graph, std::string_view kind);
std::string tag_in(const zep_graph& graph, std::string_view kind);
/// Does a record, or a hit of a search, belong there?
bool is_in(const json& record, const zep_graph& graph, std::string_view kind);
bool is_of(const json& record, std::string_view kind);

/// A user, a graph or a thread under its name in a namespace: `body` is kept as it is.
json put_named(std::string_view shelf, const std::string& name_space, const std::string& name,
               const json& body);
/// It, with its uuid and times.
json named_json(const json& record);

/// {data, type, …} of a graph, or {role, content, …} of a thread.
outcome<json> write_episode(const zep_graph& graph, const json& body);
outcome<json> write_message(const zep_graph& graph, const std::string& thread, const json& body);
json where_in_thread(const std::string& thread);
json episode_json(const json& record);
json message_json(const json& record);

/// One end of a fact: a node that is there, or a new one of that name.
struct node_end {
  std::string uuid;
  std::string name;
  std::string summary;
  std::vector<std::string> labels;
  json attributes = json::object();
};
/// `side`: source or target.
node_end end_in(const json& triple, const std::string& side);
void add_node(json& items, const zep_graph& graph, const node_end& node);
json node_json(const json& record);

/// The fact of a triple, and edges from it to both nodes; its id is drawn before.
outcome<void> add_fact(json& items, const zep_graph& graph, const json& triple,
                       const std::string& uuid, const node_end& source, const node_end& target);
json edge_json(const json& record);

} // namespace mneme::server::zep
