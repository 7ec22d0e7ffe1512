// memory.json of the reference memory server: {"type":"entity",…} and {"type":"relation",…} lines.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tools/import/derived_id.hpp"
#include "tools/import/import.hpp"
#include "tools/import/import_topics.hpp"
#include "tools/import/known_members.hpp"
#include "tools/import/source_file.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::importing {

namespace {

using protocol::json;

/// What the tools of the reference server call these in the engine.
constexpr const char* observations_field = "observations";
constexpr const char* only_named_key = "reference_memory_only_named";

/// Entities by name and relations by their ends, each with where it stands first.
struct read_graph {
  struct read_entity {
    std::string type;
    std::vector<std::string> observations;
    std::string where;
  };
  struct read_relation {
    std::vector<std::string> types;
    std::string where;
  };

  std::vector<std::string> names; ///< of the entities, in their order
  std::map<std::string, read_entity> entities;
  std::map<std::pair<std::string, std::string>, read_relation> relations;
};

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

result<void> read_entity(const json& line, const std::string& where, read_graph& graph) {
  auto name = needed_text(line, "name");
  if (!name) return propagate(name);
  if (protocol::is_given(line, "entityType") && !line["entityType"].is_string())
    return std::unexpected(
        protocol::wrong_type("text", line["entityType"], protocol::json_path().key("entityType"))
            .error());
  auto [at, is_new] = graph.entities.try_emplace(*name);
  if (is_new) {
    graph.names.push_back(*name);
    at->second = {.type = text_member(line, "entityType"), .observations = {}, .where = where};
  }
  const auto said = line.find("observations");
  if (said == line.end()) return {};
  if (!said->is_array()) return fail(errc::wrong_type, "it is a list of texts", "observations");
  for (const json& text : *said) {
    if (!text.is_string()) return fail(errc::wrong_type, "it is a list of texts", "observations");
    add_once(at->second.observations, text.get<std::string>());
  }
  return {};
}

result<void> read_relation(const json& line, const std::string& where, read_graph& graph) {
  auto from = needed_text(line, "from");
  if (!from) return propagate(from);
  auto to = needed_text(line, "to");
  if (!to) return propagate(to);
  auto type = needed_text(line, "relationType");
  if (!type) return propagate(type);
  auto& known = graph.relations[{*from, *to}];
  if (known.where.empty()) known.where = where;
  add_once(known.types, std::move(*type));
  return {};
}

result<void> read_line(const source_line& source, read_graph& graph) {
  auto line = protocol::parse_json(source.text);
  if (!line) return std::unexpected(located(std::move(line.error()), source.where));
  const std::string type = line->is_object() ? text_member(*line, "type") : std::string();
  result<void> read;
  if (type == "entity")
    read = read_entity(*line, source.where, graph);
  else if (type == "relation")
    read = read_relation(*line, source.where, graph);
  else
    read = fail(errc::bad_value, "a line is an entity or a relation", "type");
  if (!read) return std::unexpected(located(std::move(read.error()), source.where));
  return {};
}

void name_types(add_edge_request& edge, const std::vector<std::string>& types) {
  edge.data = protocol::print(json(types));
  edge.kind = fmt::format("{}", fmt::join(types, ", "));
}

/// Those that the edge has, and then the others.
std::vector<std::string> with_types_of(const edge_record& known,
                                       const std::vector<std::string>& types) {
  std::vector<std::string> all;
  if (const auto said = protocol::parse_json(known.data); said && said->is_array())
    for (const json& type : *said)
      if (type.is_string()) add_once(all, type.get<std::string>());
  for (const std::string& type : types) add_once(all, type);
  return all;
}

/// What is written for a graph, in the order of its file.
class graph_import {
public:
  graph_import(engine& target, const import_request& request, import_report& report)
      : engine_(target),
        actor_(request.actor),
        report_(report),
        sink_(target, report, manner_of(request)) {}

  result<void> put(const read_graph& graph) {
    for (const std::string& name : graph.names) {
      const auto& e = graph.entities.at(name);
      topic_source topic{.id = id_of("entity", name),
                         .actor = actor_,
                         .title = name,
                         .summary = {},
                         .kind = e.type,
                         .fields = {}};
      add_field(topic, observations_field, e.observations);
      if (auto ok = put_topic(engine_, sink_, report_, std::move(topic), e.where); !ok) return ok;
    }
    for (const auto& [ends, relation] : graph.relations)
      if (auto ok = put(graph, ends.first, ends.second, relation); !ok) return ok;
    return sink_.flush();
  }

private:
  [[nodiscard]] memory_id id_of(std::string_view kind, const std::string& name) const {
    return derived_id("reference-memory", actor_, std::string(kind) + " " + name);
  }

  /// A topic for a name that relations lead to and nobody has made; its id.
  result<memory_id> only_named(std::string_view kind, const std::string& name,
                               const std::string& where) {
    auto here = sink_.id_here(id_of(kind, name));
    if (!here) return here;
    const memory_id id = *here;
    if (!std::exchange(named_[id], true)) {
      const auto there = engine_.get(id);
      const bool is_new = !there && there.error().code == errc::not_found;
      topic_source topic{
          .id = id, .actor = actor_, .title = name, .summary = {}, .kind = {}, .fields = {}};
      if (auto ok = put_topic(engine_, sink_, report_, std::move(topic), where); !ok)
        return propagate(ok);
      update_head_request mark{};
      mark.uri = {memory_type::topic, id, 1};
      mark.actor = actor_;
      mark.metadata = metadata_map{{only_named_key, true}};
      if (is_new)
        if (auto ok = sink_.put_as_is(std::move(mark), id, where, nullptr); !ok)
          return propagate(ok);
    }
    return id;
  }
  result<memory_id> end_of(const read_graph& graph, const std::string& name,
                           const std::string& where) {
    if (graph.entities.contains(name)) return id_of("entity", name);
    // It may have come with an import of before.
    auto here = sink_.id_here(id_of("entity", name));
    if (!here) return here;
    if (const auto there = engine_.get(*here); there && !there->head->tombstone) return here;
    return only_named("named", name, where);
  }

  result<void> put(const read_graph& graph, const std::string& from, const std::string& to,
                   const read_graph::read_relation& relation) {
    auto src = end_of(graph, from, relation.where);
    if (!src) return propagate(src);
    // An edge joins two memories: what is related to itself is to another topic of its name.
    auto dst =
        from == to ? only_named("itself", to, relation.where) : end_of(graph, to, relation.where);
    if (!dst) return propagate(dst);
    constexpr auto related = static_cast<std::uint8_t>(edge_type::related_to);
    add_edge_request edge{.src = *src,
                          .type = related,
                          .dst = *dst,
                          .actor = actor_,
                          .weight = 1.0F,
                          .kind = {},
                          .data = {},
                          .by = {},
                          .created_at = {}};
    name_types(edge, relation.types);
    // What has other types since the last import is made anew.
    for (memory_id* end : {&edge.src, &edge.dst}) {
      auto place = sink_.place_of(*end);
      if (!place) return propagate(place);
      *end = place->id;
      if (place->is_erased) return sink_.put(std::move(edge), relation.where);
    }
    const auto known = engine_.get_edge({edge.src, edge_type::related_to, edge.dst});
    // Who does not tell of both ends does not tell all of how they are related.
    if (known && !known->tombstoned
        && !(graph.entities.contains(from) && graph.entities.contains(to)))
      name_types(edge, with_types_of(*known, relation.types));
    if (!known || known->tombstoned || known->data == edge.data)
      return sink_.put(std::move(edge), relation.where);
    remove_edge_request old{.src = edge.src,
                            .type = related,
                            .dst = edge.dst,
                            .actor = actor_,
                            .reason = "imported anew",
                            .by = {}};
    if (auto ok = sink_.put_as_is(std::move(old), *src, relation.where, nullptr); !ok) return ok;
    return sink_.put_as_is(std::move(edge), *src, relation.where, &import_report::edges_added);
  }

  engine& engine_;
  std::string actor_;
  import_report& report_;
  import_sink sink_;
  std::map<memory_id, bool> named_;
};

} // namespace

result<void> import_reference_memory(engine& target, const import_request& request,
                                     import_report& report) {
  read_graph graph;
  auto read = for_each_line(request.path, [&](const source_line& line) -> result<void> {
    if (request.progress) request.progress(line.position, line.file_size, report);
    return read_line(line, graph);
  });
  if (!read) return read;
  return graph_import(target, request, report).put(graph);
}

} // namespace mneme::importing
