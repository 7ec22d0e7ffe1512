#pragma once
/// Topics as a graph of entities, observations and relations: how the reference memory server sees
/// what is remembered.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/server/access/door.hpp"

namespace mneme::server {

/// The field of a topic that lists its observations.
constexpr const char* observations_field = "observations";

struct entity {
  std::string id;
  std::string uri;
  std::string name;
  std::string type;
  std::vector<std::string> observations;
  bool has_field = false;     ///< of observations; a topic of another tool may have none
  bool is_archived = false;   ///< it faded or was merged: in no answer, but its name is taken
  bool is_only_named = false; ///< a relation names it, and nobody has made it: it is in no list
};

/// Key of a topic's metadata that says so.
constexpr const char* only_named_key = "reference_memory_only_named";

/// All relations from one entity to another: one edge.
struct relation {
  std::string src; ///< ids
  std::string dst;
  std::vector<std::string> types;
};

json entity_json(const entity& e);

/// A request of the line protocol, as the graph's tools make them; fails with the engine's words,
/// as version_conflict or bad_value.
result<json> ask(door& to, const client& who, json request);

/// Everything that the client sees, as of one seq, archived entities too.
class knowledge_graph {
public:
  static result<knowledge_graph> read(door& to, const client& who);

  [[nodiscard]] const std::vector<relation>& relations() const { return relations_; }
  /// Null if there is none, or it is archived or only named.
  [[nodiscard]] const entity* named(std::string_view name) const;
  [[nodiscard]] const entity* only_named(std::string_view name) const;
  /// What a relation of that name leads to: an entity, else what is only named, else an archived
  /// one.
  [[nodiscard]] const entity* end_named(std::string_view name) const;
  /// The oldest archived one; null if there is none.
  [[nodiscard]] const entity* archived(std::string_view name) const;
  [[nodiscard]] const entity& of(const std::string& id) const { return entities_[by_id_.at(id)]; }
  [[nodiscard]] const std::vector<entity>& entities() const { return entities_; }
  /// Entities that `keep` keeps, and relations with either end among them, or all; none that is
  /// archived, or leads to such.
  template <class Keep>
  [[nodiscard]] json to_json(Keep keep, bool all_relations = false) const {
    json entities = json::array();
    json relations = json::array();
    const auto is_shown = [&](const entity& e) {
      return !e.is_archived && !e.is_only_named && keep(e);
    };
    for (const auto& e : entities_)
      if (is_shown(e)) entities.push_back(entity_json(e));
    for (const auto& r : relations_) {
      if (of(r.src).is_archived || of(r.dst).is_archived) continue;
      if (!all_relations && !is_shown(of(r.src)) && !is_shown(of(r.dst))) continue;
      for (const auto& type : r.types)
        relations.push_back(
            {{"from", of(r.src).name}, {"to", of(r.dst).name}, {"relationType", type}});
    }
    return {{"entities", std::move(entities)}, {"relations", std::move(relations)}};
  }

private:
  result<void> read_relations(door& to, const client& who, const entity& e, const json& at_seq);

  std::vector<entity> entities_; ///< oldest first
  std::map<std::string, std::size_t> by_id_;
  std::vector<relation> relations_;
};

} // namespace mneme::server
