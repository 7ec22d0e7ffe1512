#include "tools/server/mcp/knowledge_graph.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tools/protocol/base64.hpp"

namespace mneme::server {

namespace {

constexpr std::int64_t most_entities = 10'000;

/// A list; a text that another tool put there counts as a list of one.
std::vector<std::string> observations_of(const json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  std::vector<std::string> texts;
  if (value.is_array())
    for (const auto& item : value)
      if (item.is_string()) texts.push_back(item.get<std::string>());
  return texts;
}

result<entity> read_entity(door& to, const client& who, const json& m, const json& at_seq) {
  const json& data = m["version"]["data"];
  entity e{.id = m["id"].get<std::string>(),
           .uri = m["uri"].get<std::string>(),
           .name = data.value("title", ""),
           .type = data.value("topic_kind", ""),
           .observations = {},
           .is_archived =
               !m["lifecycle"].is_null() && m["lifecycle"].value("status", "") == "archived",
           .is_only_named = m["metadata"].is_object() && m["metadata"].contains(only_named_key)};
  auto got = ask(to, who, {{"op", "get"}, {"id", e.id}, {"at_seq", at_seq}});
  if (!got) return propagate(got);
  for (const auto& f : (*got)["memory"]["fields"]) {
    if (f["name"] != observations_field) continue;
    e.has_field = true;
    if (!f["current"].is_null()) e.observations = observations_of(f["current"]["value"]);
  }
  return e;
}

/// All types between two entities are one edge: its data lists them, its kind shows them.
std::vector<std::string> types_of(const json& edge) {
  std::vector<std::string> types;
  if (const auto bytes = protocol::from_base64(edge["data"].get<std::string>()))
    if (const auto list = protocol::parse_json(*bytes); list && list->is_array())
      for (const auto& type : *list)
        if (type.is_string()) types.push_back(type.get<std::string>());
  if (types.empty()) {
    const auto kind = edge["kind"].get<std::string>();
    types.push_back(kind.empty() ? "related_to" : kind);
  }
  return types;
}

} // namespace

json entity_json(const entity& e) {
  return {{"name", e.name}, {"entityType", e.type}, {"observations", e.observations}};
}

result<json> ask(door& to, const client& who, json request) {
  answer a = to.run(who, "", std::move(request));
  if (is_ok(a)) return std::move(a.body);
  const json& e = a.body["error"];
  const auto code = e["code"].get<std::string>();
  return fail(code == to_string(errc::version_conflict) ? errc::version_conflict : errc::bad_value,
              fmt::format("{} ({})", e["message"].get<std::string>(), code));
}

result<knowledge_graph> knowledge_graph::read(door& to, const client& who) {
  knowledge_graph g;
  auto found = ask(to, who,
                   {{"op", "find"},
                    {"types", {"Topic"}},
                    {"limit", most_entities + 1},
                    {"include_archived", true},
                    {"include_ended", true},
                    {"order_by", {{{"field", "version.created_at"}}}}});
  if (!found) return propagate(found);
  if ((*found)["memories"].size() > most_entities)
    return fail(errc::limit_exceeded,
                fmt::format("these tools take at most {} entities; use search, find and retrieve",
                            most_entities));
  for (const auto& m : (*found)["memories"]) {
    auto e = read_entity(to, who, m, (*found)["at_seq"]);
    if (!e) return propagate(e);
    g.by_id_[e->id] = g.entities_.size();
    g.entities_.push_back(std::move(*e));
  }
  for (const auto& e : g.entities_)
    if (auto ok = g.read_relations(to, who, e, (*found)["at_seq"]); !ok) return propagate(ok);
  return g;
}

namespace {

template <class Test>
const entity* first_of(const std::vector<entity>& entities, Test test) {
  const auto found = std::ranges::find_if(entities, test);
  return found == entities.end() ? nullptr : &*found;
}

} // namespace

const entity* knowledge_graph::named(std::string_view name) const {
  return first_of(entities_, [&](const entity& e) {
    return e.name == name && !e.is_archived && !e.is_only_named;
  });
}

const entity* knowledge_graph::only_named(std::string_view name) const {
  return first_of(entities_, [&](const entity& e) {
    return e.name == name && !e.is_archived && e.is_only_named;
  });
}

const entity* knowledge_graph::archived(std::string_view name) const {
  return first_of(entities_, [&](const entity& e) { return e.name == name && e.is_archived; });
}

const entity* knowledge_graph::end_named(std::string_view name) const {
  if (const entity* e = named(name)) return e;
  const entity* e = only_named(name);
  return e == nullptr ? archived(name) : e;
}

result<void> knowledge_graph::read_relations(door& to, const client& who, const entity& e,
                                             const json& at_seq) {
  auto got = ask(to, who,
                 {{"op", "edges"},
                  {"id", e.id},
                  {"direction", "out"},
                  {"types", {"related_to"}},
                  {"at_seq", at_seq}});
  if (!got) return propagate(got);
  for (const auto& edge : (*got)["edges"]) {
    relation r{.src = e.id, .dst = edge["dst"].get<std::string>(), .types = {}};
    if (!by_id_.contains(r.dst)) continue;
    r.types = types_of(edge);
    relations_.push_back(std::move(r));
  }
  return {};
}

} // namespace mneme::server
