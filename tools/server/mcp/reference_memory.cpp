#include "tools/server/mcp/reference_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utf8proc.h>

#include "tools/protocol/base64.hpp"
#include "tools/protocol/error_text.hpp"
#include "tools/server/clients/drawn_names.hpp"
#include "tools/server/json_schema.hpp"
#include "tools/server/mcp/knowledge_graph.hpp"

namespace mneme::server {

namespace {

using protocol::print;

std::unexpected<error> no_entity(const std::string& name) {
  return fail(errc::not_found, fmt::format("Entity with name {} not found", name));
}

/// Lower-cased by Unicode, so that a search finds what the reference server would find.
std::string folded(const std::string& text) {
  utf8proc_uint8_t* out = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &out,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_CASEFOLD));
  if (size < 0) return text;
  std::string lower(reinterpret_cast<const char*>(out), static_cast<std::size_t>(size));
  std::free(out);
  return lower;
}

/// What entities are to have observed; one request for each that it changes, however often a call
/// names it.
class observation_changes {
public:
  std::vector<std::string>& of(const entity& e) {
    return now_.try_emplace(e.id, &e, e.observations).first->second.second;
  }
  [[nodiscard]] json requests() const {
    json items = json::array();
    for (const auto& [id, change] : now_) {
      const auto& [e, observations] = change;
      if (observations == e->observations) continue;
      items.push_back({{"op", "ingest"},
                       {"placement", e->has_field ? "version_field" : "extend_topic"},
                       {"topic_id", id},
                       {"fields", {{observations_field, {{"value", observations}}}}}});
    }
    return items;
  }

private:
  std::map<std::string, std::pair<const entity*, std::vector<std::string>>> now_; ///< by id
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& w : words) text += (text.empty() ? "" : ", ") + w;
  return text;
}

/// The requests that leave `types` between two entities.
void replace_edge(json& items, const std::string& src, const std::string& dst,
                  const std::vector<std::string>& types, bool is_there) {
  json edge{{"src", src}, {"type", "related_to"}, {"dst", dst}};
  if (is_there) {
    json remove = edge;
    remove["op"] = "remove_edge";
    items.push_back(std::move(remove));
  }
  if (types.empty()) return;
  edge["op"] = "add_edge";
  edge["kind"] = joined(types);
  edge["data"] = protocol::to_base64(print(json(types)));
  items.push_back(std::move(edge));
}

result<void> run_batch(door& to, const client& who, json items) {
  if (items.empty()) return {};
  auto done = ask(to, who, {{"op", "batch"}, {"items", std::move(items)}});
  if (!done) return propagate(done);
  return {};
}

std::vector<std::string> texts_of(const json& list) {
  std::vector<std::string> texts;
  for (const auto& t : list) texts.push_back(t.get<std::string>());
  return texts;
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::ranges::find(list, text) != list.end();
}

std::vector<std::string> once_each(const std::vector<std::string>& texts) {
  std::vector<std::string> once;
  for (const auto& text : texts)
    if (!contains(once, text)) once.push_back(text);
  return once;
}

/// What an archived entity becomes when it is created again: what it was, with what is said of it
/// now. Adds the request that makes it so, if there is something to change.
entity created_again(const entity& archived, const json& wanted, json& items) {
  entity e = archived;
  e.type = wanted["entityType"].get<std::string>();
  for (const auto& text : texts_of(wanted["observations"]))
    if (!contains(e.observations, text)) e.observations.push_back(text);
  json item{{"op", "ingest"}, {"placement", "extend_topic"}, {"topic_id", e.id}};
  if (e.type != archived.type) item["topic_kind"] = e.type;
  if (e.observations != archived.observations)
    item["fields"] = {{observations_field, {{"value", e.observations}}}};
  if (item.size() > 3) items.push_back(std::move(item));
  return e;
}

/// What was only named, and the id of the entity that now has the name.
using taken_names = std::map<std::string, std::pair<const entity*, std::string>>; // by its id

/// The relations of what was only named are those of the entities that took its place.
void take_over(json& items, const knowledge_graph& g, const taken_names& taken) {
  const auto now = [&](const std::string& id) {
    const auto found = taken.find(id);
    return found == taken.end() ? id : found->second.second;
  };
  for (const auto& r : g.relations()) {
    if (now(r.src) == r.src && now(r.dst) == r.dst) continue;
    replace_edge(items, r.src, r.dst, {}, true);
    replace_edge(items, now(r.src), now(r.dst), r.types, false);
  }
  for (const auto& [id, name] : taken)
    items.push_back({{"op", "tombstone"}, {"uri", name.first->uri}, {"reason", "made an entity"}});
}

/// A topic for a name that a relation leads to and nobody has made; its id.
std::string add_only_named(json& items, const std::string& name) {
  const auto id = to_string(draw_id());
  items.push_back(
      {{"op", "ingest"}, {"placement", "new_topic"}, {"topic_id", id}, {"title", name}});
  items.push_back({{"op", "update_head"},
                   {"uri", fmt::format("mneme://Topic/{}#1", id)},
                   {"metadata", {{only_named_key, true}}}});
  return id;
}

/// Nobody but who is asked by name shows an archived entity, so whoever creates one of its name is
/// to have it: it comes back.
result<json> create_entities(door& to, const client& who, const json& a) {
  auto g = knowledge_graph::read(to, who);
  if (!g) return propagate(g);
  json items = json::array();
  json made = json::array();
  std::vector<std::string> names;
  std::vector<std::string> back; // ids
  taken_names taken;
  auto id = draw_id(); // entities of one call are in their order by their ids
  for (const auto& e : a["entities"]) {
    const auto name = e["name"].get<std::string>();
    if (g->named(name) != nullptr || contains(names, name)) continue;
    names.push_back(name);
    if (const entity* archived = g->archived(name)) {
      made.push_back(entity_json(created_again(*archived, e, items)));
      back.push_back(archived->id);
      continue;
    }
    id = next_id(id);
    json kept = e;
    kept["observations"] = once_each(texts_of(e["observations"]));
    json item{{"op", "ingest"},
              {"placement", "new_topic"},
              {"topic_id", to_string(id)},
              {"title", name},
              {"topic_kind", e["entityType"]},
              {"fields", {{observations_field, {{"value", kept["observations"]}}}}}};
    items.push_back(std::move(item));
    made.push_back(std::move(kept));
    if (const entity* only_named = g->only_named(name))
      taken[only_named->id] = {only_named, to_string(id)};
  }
  take_over(items, *g, taken);
  if (auto ok = run_batch(to, who, std::move(items)); !ok) return propagate(ok);
  // Last: should one fail, the same call does the rest.
  for (const auto& archived_id : back)
    if (auto ok = ask(to, who, {{"op", "unarchive"}, {"id", archived_id}}); !ok)
      return propagate(ok);
  return json{{"entities", std::move(made)}};
}

/// Relations by their two ends: ids.
using typed_relations = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

/// Ids of what relations lead to, of a call that may name what is not there.
class relation_ends {
public:
  relation_ends(const knowledge_graph& g, json& items) : g_(g), items_(items) {}

  std::string of_name(const std::string& name) {
    if (const auto* e = g_.end_named(name)) return e->id;
    return made(ends_, name);
  }
  /// An edge joins two memories: what is related to itself is to another topic of its name.
  std::string twin_of(const std::string& name, const std::string& id) {
    for (const auto& e : g_.entities())
      if (e.name == name && e.is_only_named && e.id != id) return e.id;
    return made(twins_, name);
  }

private:
  using ids = std::map<std::string, std::string>;

  std::string made(ids& of, const std::string& name) {
    const auto [at, is_new] = of.try_emplace(name);
    if (is_new) at->second = add_only_named(items_, name);
    return at->second;
  }

  const knowledge_graph& g_;
  json& items_;
  ids ends_;
  ids twins_;
};

result<json> create_relations(door& to, const client& who, const json& a) {
  auto g = knowledge_graph::read(to, who);
  if (!g) return propagate(g);
  typed_relations before;
  typed_relations by_name;
  for (const auto& r : g->relations()) {
    before[{r.src, r.dst}] = r.types;
    auto& all = by_name[{g->of(r.src).name, g->of(r.dst).name}];
    all.insert(all.end(), r.types.begin(), r.types.end());
  }
  typed_relations after;
  json made = json::array();
  json items = json::array();
  relation_ends ends(*g, items);
  for (const auto& r : a["relations"]) {
    const auto from = r["from"].get<std::string>();
    const auto onto = r["to"].get<std::string>();
    const auto type = r["relationType"].get<std::string>();
    auto& known = by_name[{from, onto}];
    if (contains(known, type)) continue;
    known.push_back(type);
    made.push_back(r);
    const auto src = ends.of_name(from);
    const std::pair edge{src, from == onto ? ends.twin_of(from, src) : ends.of_name(onto)};
    const auto old = before.find(edge);
    after.try_emplace(edge, old == before.end() ? std::vector<std::string>() : old->second)
        .first->second.push_back(type);
  }
  for (const auto& [edge, types] : after)
    replace_edge(items, edge.first, edge.second, types, before.contains(edge));
  if (auto ok = run_batch(to, who, std::move(items)); !ok) return propagate(ok);
  return json{{"relations", std::move(made)}};
}

/// By the names of the ends, whatever topics have them.
result<json> delete_relations(door& to, const client& who, const json& a) {
  auto g = knowledge_graph::read(to, who);
  if (!g) return propagate(g);
  typed_relations after;
  for (const auto& r : a["relations"]) {
    const auto from = r["from"].get<std::string>();
    const auto onto = r["to"].get<std::string>();
    for (const auto& known : g->relations()) {
      const auto& src = g->of(known.src);
      const auto& dst = g->of(known.dst);
      if (src.name != from || dst.name != onto || src.is_archived || dst.is_archived) continue;
      auto& left = after.try_emplace({known.src, known.dst}, known.types).first->second;
      std::erase(left, r["relationType"].get<std::string>());
    }
  }
  json items = json::array();
  for (const auto& [edge, types] : after) replace_edge(items, edge.first, edge.second, types, true);
  if (auto ok = run_batch(to, who, std::move(items)); !ok) return propagate(ok);
  return json{{"success", true}, {"message", "Relations deleted successfully"}};
}

result<json> add_observations(door& to, const client& who, const json& a) {
  auto g = knowledge_graph::read(to, who);
  if (!g) return propagate(g);
  json results = json::array();
  observation_changes now;
  for (const auto& o : a["observations"]) {
    const auto name = o["entityName"].get<std::string>();
    const auto* e = g->named(name);
    if (e == nullptr) return no_entity(name);
    auto& all = now.of(*e);
    std::vector<std::string> added;
    for (const auto& text : texts_of(o["contents"]))
      if (!contains(all, text)) {
        all.push_back(text);
        added.push_back(text);
      }
    results.push_back({{"entityName", name}, {"addedObservations", added}});
  }
  if (auto ok = run_batch(to, who, now.requests()); !ok) return propagate(ok);
  return json{{"results", std::move(results)}};
}

result<json> delete_observations(door& to, const client& who, const json& a) {
  auto g = knowledge_graph::read(to, who);
  if (!g) return propagate(g);
  observation_changes now;
  for (const auto& d : a["deletions"]) {
    const auto* e = g->named(d["entityName"].get<std::string>());
    if (e == nullptr) continue;
    for (const auto& text : texts_of(d["observations"])) std::erase(now.of(*e), text);
  }
  if (auto ok = run_batch(to, who, now.requests()); !ok) return propagate(ok);
  return json{{"success", true}, {"message", "Observations deleted successfully"}};
}

result<json> delete_entities(door& to, const client& who, const json& a) {
  auto g = knowledge_graph::read(to, who);
  if (!g) return propagate(g);
  json items = json::array();
  std::vector<std::string> gone;
  for (const auto& name : texts_of(a["entityNames"])) {
    if (contains(gone, name)) continue;
    gone.push_back(name);
    // Archived ones too, or what was deleted would be back with the name.
    for (const auto& e : g->entities())
      if (e.name == name)
        items.push_back({{"op", "tombstone"}, {"uri", e.uri}, {"reason", "deleted"}});
  }
  if (auto ok = run_batch(to, who, std::move(items)); !ok) return propagate(ok);
  return json{{"success", true}, {"message", "Entities deleted successfully"}};
}

result<json> read_graph(door& to, const client& who, const json&) {
  auto g = knowledge_graph::read(to, who);
  if (!g) return propagate(g);
  return g->to_json([](const entity&) { return true; }, true);
}

result<json> search_nodes(door& to, const client& who, const json& a) {
  auto g = knowledge_graph::read(to, who);
  if (!g) return propagate(g);
  const std::string wanted = folded(a["query"].get<std::string>());
  const auto has = [&](const std::string& text) {
    return folded(text).find(wanted) != std::string::npos;
  };
  return g->to_json([&](const entity& e) {
    return has(e.name) || has(e.type) || std::ranges::any_of(e.observations, has);
  });
}

result<json> open_nodes(door& to, const client& who, const json& a) {
  auto g = knowledge_graph::read(to, who);
  if (!g) return propagate(g);
  const auto names = texts_of(a["names"]);
  return g->to_json([&](const entity& e) { return contains(names, e.name); });
}

namespace sh = protocol::shapes;
using protocol::key_shape;
using protocol::shape;
using protocol::shape_kind;

constexpr std::array entity_keys = {key_shape{"name", &sh::text, true},
                                    key_shape{"entityType", &sh::text, true},
                                    key_shape{"observations", &sh::texts, true}};
constexpr shape entity_shape{.kind = shape_kind::object, .keys = entity_keys};
constexpr shape entities_shape{.kind = shape_kind::list, .item = &entity_shape};
constexpr std::array relation_keys = {key_shape{"from", &sh::text, true},
                                      key_shape{"to", &sh::text, true},
                                      key_shape{"relationType", &sh::text, true}};
constexpr shape relation_shape{.kind = shape_kind::object, .keys = relation_keys};
constexpr shape relations_shape{.kind = shape_kind::list, .item = &relation_shape};
constexpr std::array observation_keys = {key_shape{"entityName", &sh::text, true},
                                         key_shape{"contents", &sh::texts, true}};
constexpr shape observation_shape{.kind = shape_kind::object, .keys = observation_keys};
constexpr shape observations_shape{.kind = shape_kind::list, .item = &observation_shape};
constexpr std::array deletion_keys = {key_shape{"entityName", &sh::text, true},
                                      key_shape{"observations", &sh::texts, true}};
constexpr shape deletion_shape{.kind = shape_kind::object, .keys = deletion_keys};
constexpr shape deletions_shape{.kind = shape_kind::list, .item = &deletion_shape};
constexpr std::array result_keys = {key_shape{"entityName", &sh::text, true},
                                    key_shape{"addedObservations", &sh::texts, true}};
constexpr shape result_shape{.kind = shape_kind::object, .keys = result_keys};
constexpr shape results_shape{.kind = shape_kind::list, .item = &result_shape};

constexpr std::array entities_only = {key_shape{"entities", &entities_shape, true}};
constexpr std::array relations_only = {key_shape{"relations", &relations_shape, true}};
constexpr std::array observations_only = {key_shape{"observations", &observations_shape, true}};
constexpr std::array names_of_entities = {key_shape{"entityNames", &sh::texts, true}};
constexpr std::array deletions_only = {key_shape{"deletions", &deletions_shape, true}};
constexpr std::array query_only = {key_shape{"query", &sh::text, true}};
constexpr std::array names_only = {key_shape{"names", &sh::texts, true}};
constexpr std::array results_only = {key_shape{"results", &results_shape, true}};
constexpr std::array success_keys = {key_shape{"success", &sh::boolean, true},
                                     key_shape{"message", &sh::text, true}};
constexpr std::array graph_keys = {key_shape{"entities", &entities_shape, true},
                                   key_shape{"relations", &relations_shape, true}};

struct graph_tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::span<const key_shape> takes;
  std::span<const key_shape> gives;
  bool is_read = false;
  bool is_destructive = false;
  result<json> (*run)(door& to, const client& who, const json& arguments) = nullptr;
};

constexpr std::array graph_tools = {
    graph_tool{"create_entities", "Create entities",
               "Create multiple new entities in the knowledge graph", entities_only, entities_only,
               false, false, create_entities},
    graph_tool{"create_relations", "Create relations",
               "Create multiple new relations between entities in the knowledge graph. Relations "
               "should be in active voice",
               relations_only, relations_only, false, false, create_relations},
    graph_tool{"add_observations", "Add observations",
               "Add new observations to existing entities in the knowledge graph",
               observations_only, results_only, false, false, add_observations},
    graph_tool{"delete_entities", "Delete entities",
               "Delete multiple entities and their associated relations from the knowledge graph",
               names_of_entities, success_keys, false, true, delete_entities},
    graph_tool{"delete_observations", "Delete observations",
               "Delete specific observations from entities in the knowledge graph", deletions_only,
               success_keys, false, true, delete_observations},
    graph_tool{"delete_relations", "Delete relations",
               "Delete multiple relations from the knowledge graph", relations_only, success_keys,
               false, true, delete_relations},
    graph_tool{"read_graph",
               "Read graph",
               "Read the entire knowledge graph",
               {},
               graph_keys,
               true,
               false,
               read_graph},
    graph_tool{"search_nodes", "Search nodes",
               "Search for nodes in the knowledge graph based on a query", query_only, graph_keys,
               true, false, search_nodes},
    graph_tool{"open_nodes", "Open nodes",
               "Open specific nodes in the knowledge graph by their names", names_only, graph_keys,
               true, false, open_nodes},
};

const graph_tool* find_graph_tool(std::string_view name) {
  const auto found = std::ranges::find(graph_tools, name, &graph_tool::name);
  return found == graph_tools.end() ? nullptr : &*found;
}

/// The text of a result: that of the one list that a call made, or all of it.
std::string text_of_result(const json& made) {
  if (made.contains("message")) return made["message"].get<std::string>();
  return protocol::print_pretty(made.size() == 1 ? made.front() : made);
}

json text_result(const std::string& text, bool is_error) {
  return {{"content", json::array({{{"type", "text"}, {"text", text}}})}, {"isError", is_error}};
}

json description_of(const graph_tool& t) {
  const shape takes{.kind = shape_kind::object, .keys = t.takes};
  const shape gives{.kind = shape_kind::object, .keys = t.gives};
  return {{"name", t.name},
          {"title", t.title},
          {"description", t.description},
          {"inputSchema", schema_of(takes)},
          {"outputSchema", schema_of(gives)},
          {"annotations",
           {{"readOnlyHint", t.is_read},
            {"destructiveHint", t.is_destructive},
            {"openWorldHint", false}}}};
}

} // namespace

json reference_memory::tools_for(const client& who) const {
  json list = json::array();
  for (const auto& t : graph_tools)
    if (t.is_read || !who.read_only) list.push_back(description_of(t));
  return list;
}

bool reference_memory::has(std::string_view name) const {
  return find_graph_tool(name) != nullptr;
}

bool reference_memory::changes(std::string_view name) {
  const auto* tool = find_graph_tool(name);
  return tool != nullptr && !tool->is_read;
}

result<json> reference_memory::graph(const client& who) {
  return read_graph(to_, who, {});
}

json reference_memory::call(const client& who, std::string_view name, const json& arguments) {
  auto made = run(who, name, arguments);
  if (!made) {
    const auto& e = made.error();
    const auto text = protocol::error_text(e.message);
    return text_result(
        e.at.empty() ? text : fmt::format("{} (at {})", text, protocol::error_text(e.at)), true);
  }
  json result = text_result(text_of_result(*made), false);
  result["structuredContent"] = std::move(*made);
  return result;
}

result<json> reference_memory::run(const client& who, std::string_view name,
                                   const json& arguments) {
  const auto& tool = *find_graph_tool(name);
  if (auto ok = protocol::check_members(arguments, tool.takes, false, {}); !ok)
    return propagate(ok);
  if (tool.is_read) return tool.run(to_, who, arguments);
  auto turn = turns_.take();
  if (!turn) return propagate(turn);
  return tool.run(to_, who, arguments);
}

} // namespace mneme::server
