#include "tools/server/clients/zep/zep_wire.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tools/protocol/shape.hpp"
#include "tools/server/clients/drawn_names.hpp"
#include "tools/server/clients/engine_call.hpp"
#include "tools/server/clients/zep/zep_names.hpp"
#include "tools/server/clients/zep/zep_records.hpp"
#include "tools/server/clients/zep/zep_routes.hpp"
#include "tools/server/http/routes.hpp"

namespace mneme::server::zep {

namespace {

using protocol::is_given;

constexpr std::int64_t most_searched = 4'000;
constexpr std::size_t at_once = 500;
/// Of the last messages of a thread, which its context is about.
constexpr std::size_t asked_messages = 4;
constexpr std::int64_t context_facts = 10;

json message(std::string_view text) {
  return {{"message", text}};
}

// ---- taking away

outcome<void> remove(const engine_call& engine, const std::vector<std::string>& uris) {
  for (std::size_t from = 0; from < uris.size(); from += at_once) {
    json items = json::array();
    for (std::size_t i = from; i < std::min(uris.size(), from + at_once); ++i)
      items.push_back({{"op", "tombstone"}, {"uri", uris[i]}, {"reason", "deleted"}});
    if (auto done = engine.batch(std::move(items)); !done) return propagate_refusal(done);
  }
  return {};
}

outcome<void> collect(const engine_call& engine, const json& where,
                      std::vector<std::string>& uris) {
  return engine.for_each(where, {.archived = true}, [&](const json& record) {
    uris.push_back(record["uri"].get<std::string>());
    return true;
  });
}

/// A graph and all in it; of a user the threads too. Its name goes last: should one fail, the same
/// request does the rest.
outcome<json> remove_graph(call& c, const zep_graph& graph) {
  auto known = named(c.engine, graph.shelf(), graph.id);
  if (!known) return known;
  std::vector<std::string> uris;
  if (auto ok = collect(c.engine, {{"eq", {"meta.zep_graph", graph.name()}}}, uris); !ok)
    return propagate_refusal(ok);
  if (graph.kind == "user") {
    const json threads{
        {"and", {on_shelf(c.engine, threads_shelf), {{"eq", {"meta.zep_user", graph.id}}}}}};
    if (auto ok = collect(c.engine, threads, uris); !ok) return propagate_refusal(ok);
  }
  uris.push_back((*known)["uri"].get<std::string>());
  if (auto ok = remove(c.engine, uris); !ok) return propagate_refusal(ok);
  return message(fmt::format("{} deleted", noun_of(graph.shelf())));
}

outcome<json> remove_thread(call& c) {
  auto known = named(c.engine, threads_shelf, c.route.id);
  if (!known) return known;
  std::vector<std::string> uris;
  if (auto ok = collect(c.engine, where_in_thread(c.route.id), uris); !ok)
    return propagate_refusal(ok);
  uris.push_back((*known)["uri"].get<std::string>());
  if (auto ok = remove(c.engine, uris); !ok) return propagate_refusal(ok);
  return message("thread deleted");
}

// ---- what a graph has

outcome<json> record_of(const engine_call& engine, std::string_view kind, const std::string& id) {
  auto got = engine.run({{"op", "get"}, {"id", id}});
  if (!got && (got.error().status == 404 || got.error().code == "bad_id"))
    return nothing_at(kind, id);
  if (!got) return got;
  json record = std::move((*got)["memory"]);
  if (!record["tombstone"].is_null() || !is_of(record, kind)) return nothing_at(kind, id);
  return record;
}

json shown(const json& record, std::string_view kind) {
  if (kind == edge_kind) return edge_json(record);
  return kind == node_kind ? node_json(record) : episode_json(record);
}

outcome<json> get_one(call& c, std::string_view kind) {
  auto record = record_of(c.engine, kind, c.route.id);
  if (!record) return record;
  if (c.request.method != "DELETE") return shown(*record, kind);
  if (auto ok = remove(c.engine, {(*record)["uri"].get<std::string>()}); !ok)
    return propagate_refusal(ok);
  return message(fmt::format("{} deleted", kind));
}

/// Some of the newest, behind the one that `cursor` names. Fields of topics come with a record that
/// is asked for by itself.
outcome<json> newest(const engine_call& engine, json where, std::string_view kind,
                     std::int64_t most, const std::string& cursor) {
  bool is_behind = cursor.empty();
  if (!is_behind) {
    auto at = record_of(engine, kind, cursor);
    if (!at) return at;
    where = {{"and", {std::move(where), {{"lte", {"head.created_at", (*at)["created_at"]}}}}}};
  }
  json rows = json::array();
  std::vector<std::string> ids;
  if (most == 0) return rows;
  const auto seen = engine.for_each(where, {}, [&](const json& record) {
    if (is_behind) {
      ids.push_back(record["id"].get<std::string>());
      if (kind != node_kind) rows.push_back(shown(record, kind));
    }
    is_behind = is_behind || record["id"] == cursor;
    return std::ssize(ids) < most;
  });
  if (!seen) return std::unexpected(seen.error());
  if (kind != node_kind) return rows;
  auto records = engine.memories(ids);
  if (!records) return records;
  for (const auto& record : *records) rows.push_back(node_json(record));
  return rows;
}

outcome<json> list_of(call& c, std::string_view kind) {
  const zep_graph graph{.kind = c.route.kind, .id = c.route.id};
  if (auto ok = check_graph(c.engine, graph); !ok) return propagate_refusal(ok);
  const char* name = parameter(c.request, "lastn").empty() ? "limit" : "lastn";
  auto most = number_in(c, name, 100);
  if (!most) return propagate_refusal(most);
  auto rows = newest(c.engine, where_in(graph, kind), kind, *most, text_in(c.body, "uuid_cursor"));
  if (!rows || kind != episode_kind) return rows;
  return json{{"episodes", std::move(*rows)}};
}

outcome<json> edges_of_node(call& c) {
  auto node = record_of(c.engine, node_kind, c.route.id);
  if (!node) return node;
  const json where{{"and",
                    {{{"eq", {"meta.zep_kind", edge_kind}}},
                     {{"or",
                       {{{"eq", {"meta.zep_source", c.route.id}}},
                        {{"eq", {"meta.zep_target", c.route.id}}}}}}}}};
  return newest(c.engine, where, edge_kind, most_results, "");
}

/// Episodes as they were written.
outcome<json> written(const engine_call& engine, const json& answers, const json& items) {
  std::vector<std::string> ids;
  ids.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) ids.push_back(answers[i]["id"].get<std::string>());
  auto records = engine.memories(ids);
  if (!records) return records;
  json episodes = json::array();
  for (const auto& record : *records) episodes.push_back(episode_json(record));
  return episodes;
}

outcome<json> add_data(call& c, const json& episodes) {
  auto graph = graph_in(c.body);
  if (!graph) return propagate_refusal(graph);
  if (auto ok = check_graph(c.engine, *graph); !ok) return propagate_refusal(ok);
  json items = json::array();
  for (const auto& episode : episodes) {
    auto write = write_episode(*graph, episode);
    if (!write) return write;
    items.push_back(std::move(*write));
  }
  auto done = c.engine.batch(items);
  if (!done) return done;
  return written(c.engine, *done, items);
}

outcome<json> add_one(call& c) {
  auto episodes = add_data(c, json::array({c.body}));
  if (!episodes) return episodes;
  return std::move(episodes->front());
}

outcome<json> add_batch(call& c) {
  if (!is_given(c.body, "episodes") || !c.body["episodes"].is_array())
    return bad_value("episodes is a list of {data, type}");
  return add_data(c, c.body["episodes"]);
}

/// A node that is there, by uuid or by name; else one to be made, with a drawn uuid. `side` is its
/// of the triple.
outcome<bool> find_end(const engine_call& engine, const zep_graph& graph, std::string_view side,
                       node_end& end) {
  if (!end.uuid.empty()) {
    auto known = record_of(engine, node_kind, end.uuid);
    if (!known && known.error().status != 404) return propagate_refusal(known);
    if (!known || !is_in(*known, graph, node_kind))
      return refuse_as(404, "not_found",
                       fmt::format("{}_node_uuid: the {} {} has no node {}; give {}_node_name, and "
                                   "one is made",
                                   side, graph.kind == "user" ? "user" : "graph", graph.id,
                                   end.uuid, side));
    end.name = (*known)["version"]["data"].value("title", "");
    return true;
  }
  if (end.name.empty())
    return bad_value(fmt::format("a triple names both nodes, or their uuids: {0}_node_name or "
                                 "{0}_node_uuid is missing",
                                 side));
  auto found = engine.run(
      {{"op", "find"},
       {"types", {"Topic"}},
       {"where", {{"and", {where_in(graph, node_kind), {{"eq", {"data.title", end.name}}}}}}},
       {"limit", 1}});
  if (!found) return propagate_refusal(found);
  const bool is_there = !(*found)["memories"].empty();
  end.uuid = is_there ? (*found)["memories"][0]["id"].get<std::string>() : to_string(draw_id());
  return is_there;
}

outcome<json> add_triple(call& c) {
  auto graph = graph_in(c.body);
  if (!graph) return propagate_refusal(graph);
  if (auto ok = check_graph(c.engine, *graph); !ok) return propagate_refusal(ok);
  // Two at once would each make the node that both name.
  auto turn = c.turns.take();
  if (!turn)
    return refuse_as(status_of(turn.error().code), to_string(turn.error().code),
                     turn.error().message);
  node_end source = end_in(c.body, "source");
  node_end target = end_in(c.body, "target");
  json items = json::array();
  auto has_source = find_end(c.engine, *graph, "source", source);
  if (!has_source) return propagate_refusal(has_source);
  if (!*has_source) add_node(items, *graph, source);
  const bool is_same = target.uuid.empty() && target.name == source.name;
  auto has_target = is_same ? outcome<bool>(true) : find_end(c.engine, *graph, "target", target);
  if (!has_target) return propagate_refusal(has_target);
  if (is_same) target = source;
  if (!*has_target) add_node(items, *graph, target);
  const auto uuid = to_string(draw_id());
  if (auto ok = add_fact(items, *graph, c.body, uuid, source, target); !ok)
    return propagate_refusal(ok);
  if (auto done = c.engine.batch(std::move(items)); !done) return done;
  auto records = c.engine.memories({uuid, source.uuid, target.uuid});
  if (!records) return records;
  if (records->size() != 3) return nothing_at(edge_kind, uuid); // somebody was faster
  return json{{"edge", edge_json((*records)[0])},
              {"source_node", node_json((*records)[1])},
              {"target_node", node_json((*records)[2])}};
}

// ---- searching

/// Ids of the best hits of a kind, with their scores.
outcome<std::vector<std::pair<std::string, double>>>
hits_of(const engine_call& engine, const zep_graph& graph, std::string_view kind,
        const std::string& query, std::int64_t most) {
  const std::string tag = tag_in(graph, kind);
  for (auto limit = most;; limit = std::min(limit * 4, most_searched)) {
    auto found = engine.run({{"op", "search"},
                             {"query", query},
                             {"tag", tag},
                             {"source_type", "memory"},
                             {"include_ended", true},
                             {"similarity_floor", 0},
                             {"limit", limit}});
    if (!found) return propagate_refusal(found);
    std::vector<std::pair<std::string, double>> hits;
    for (const auto& hit : (*found)["results"])
      if (is_in(hit, graph, kind) && std::ssize(hits) < most)
        hits.emplace_back(hit["id"].get<std::string>(), hit["match"].get<double>());
    const bool is_all = std::ssize((*found)["results"]) < limit || limit >= most_searched;
    if (is_all || std::ssize(hits) == most) return hits;
  }
}

outcome<json> found_in(const engine_call& engine, const zep_graph& graph, std::string_view kind,
                       const std::string& query, std::int64_t most) {
  auto hits = hits_of(engine, graph, kind, query, most);
  if (!hits) return propagate_refusal(hits);
  std::vector<std::string> ids;
  for (const auto& [id, score] : *hits) ids.push_back(id);
  auto records = engine.memories(ids);
  if (!records) return records;
  json rows = json::array();
  for (const auto& record : *records) {
    json row = shown(record, kind);
    for (const auto& [id, score] : *hits)
      if (record["id"] == id) row["score"] = score;
    rows.push_back(std::move(row));
  }
  return rows;
}

outcome<json> search(call& c) {
  auto graph = graph_in(c.body);
  if (!graph) return propagate_refusal(graph);
  if (auto ok = check_graph(c.engine, *graph); !ok) return propagate_refusal(ok);
  const auto query = text_in(c.body, "query");
  if (query.empty()) return bad_value("query is a text that is not empty");
  auto most = number_in(c, "limit", 10);
  if (!most) return propagate_refusal(most);
  const auto scope = is_given(c.body, "scope") ? text_in(c.body, "scope") : "edges";
  const std::string_view kind = scope == "edges"      ? edge_kind
                                : scope == "nodes"    ? node_kind
                                : scope == "episodes" ? episode_kind
                                                      : std::string_view();
  if (kind.empty()) return bad_value("scope is edges, nodes or episodes");
  auto rows = found_in(c.engine, *graph, kind, query, std::max<std::int64_t>(*most, 1));
  if (!rows) return rows;
  return json{{scope, std::move(*rows)}};
}

// ---- threads

outcome<json> context_of(const engine_call& engine, const zep_graph& graph,
                         const std::string& thread) {
  auto found = engine.run({{"op", "find"},
                           {"where", where_in_thread(thread)},
                           {"order_by", newest_first()},
                           {"limit", asked_messages}});
  if (!found) return found;
  std::string query;
  for (const auto& record : (*found)["memories"])
    query += record["version"]["data"]["statement"].get<std::string>() + "\n";
  if (query.empty()) return std::string();
  auto edges = found_in(engine, graph, edge_kind, query, context_facts);
  if (!edges) return edges;
  auto episodes = found_in(engine, graph, episode_kind, query, context_facts);
  if (!episodes) return episodes;
  std::string text = "# Facts, and from when to when they hold\n";
  for (const auto& e : *edges)
    text += fmt::format("- {} ({} to {})\n", text_in(e, "fact"),
                        e["valid_at"].is_null() ? "?" : text_in(e, "valid_at"),
                        e["invalid_at"].is_null() ? "now" : text_in(e, "invalid_at"));
  text += "# What was said of it\n";
  for (const auto& e : *episodes) {
    const auto role = text_in(e, "role");
    text += fmt::format("- {}{}{}\n", role, role.empty() ? "" : ": ", text_in(e, "content"));
  }
  return text;
}

/// The thread that the route names, and the graph of whose it is.
outcome<zep_graph> thread_graph(const call& c) {
  auto thread = named(c.engine, threads_shelf, c.route.id);
  if (!thread) return propagate_refusal(thread);
  return zep_graph{.kind = "user", .id = text_in(named_json(*thread), "user_id")};
}

outcome<json> add_messages(call& c) {
  auto graph = thread_graph(c);
  if (!graph) return propagate_refusal(graph);
  if (!is_given(c.body, "messages") || !c.body["messages"].is_array())
    return bad_value("messages is a list of {role, content}");
  json items = json::array();
  for (const auto& m : c.body["messages"]) {
    auto write = write_message(*graph, c.route.id, m);
    if (!write) return write;
    items.push_back(std::move(*write));
  }
  auto done = c.engine.batch(std::move(items));
  if (!done) return done;
  json uuids = json::array();
  for (const auto& answered : *done) uuids.push_back(answered["id"]);
  json out{{"message_uuids", std::move(uuids)}};
  if (is_given(c.body, "return_context") && c.body["return_context"] == true) {
    auto context = context_of(c.engine, *graph, c.route.id);
    if (!context) return context;
    out["context"] = std::move(*context);
  }
  return out;
}

/// In the order in which they were said: `limit` from `cursor` on, or the last ones.
outcome<json> get_messages(call& c) {
  auto graph = thread_graph(c);
  if (!graph) return propagate_refusal(graph);
  json all = json::array();
  const auto seen = c.engine.for_each(where_in_thread(c.route.id), {}, [&](const json& record) {
    all.push_back(message_json(record));
    return true;
  });
  if (!seen) return std::unexpected(seen.error());
  std::ranges::reverse(all);
  const auto last = number_in(c, "lastn", 0);
  const auto most = number_in(c, "limit", most_results);
  const auto cursor = number_in(c, "cursor", 0);
  if (!last || !most || !cursor) return bad_value("limit, cursor and lastn are numbers");
  const auto total = std::ssize(all);
  const auto first = *last > 0 ? std::max<std::int64_t>(total - *last, 0) : *cursor;
  const auto end = *last > 0 ? total : std::min<std::int64_t>(total, first + *most);
  json page = json::array();
  for (auto i = first; i < end; ++i) page.push_back(std::move(all[static_cast<std::size_t>(i)]));
  const auto count = page.size();
  return json{{"messages", std::move(page)},
              {"row_count", count},
              {"total_count", total},
              {"user_id", graph->id}};
}

outcome<json> get_context(call& c) {
  auto graph = thread_graph(c);
  if (!graph) return propagate_refusal(graph);
  auto context = context_of(c.engine, *graph, c.route.id);
  if (!context) return context;
  return json{{"context", std::move(*context)}};
}

outcome<json> answer_graph(call& c) {
  const bool is_delete = c.request.method == "DELETE";
  switch (c.route.page) {
  case zep_page::create_graph:
    return create(c, graphs_shelf, "graph_id");
  case zep_page::list_graphs:
    return list_shelf(c, graphs_shelf, "graphs");
  case zep_page::graph:
    return is_delete ? remove_graph(c, {.kind = "graph", .id = c.route.id})
                     : get_named(c, graphs_shelf);
  case zep_page::graph_data:
    return add_one(c);
  case zep_page::graph_batch:
    return add_batch(c);
  case zep_page::triple:
    return add_triple(c);
  case zep_page::search:
    return search(c);
  case zep_page::edges_of:
    return list_of(c, edge_kind);
  case zep_page::nodes_of:
    return list_of(c, node_kind);
  case zep_page::episodes_of:
    return list_of(c, episode_kind);
  case zep_page::edge:
    return get_one(c, edge_kind);
  case zep_page::node:
    return get_one(c, node_kind);
  case zep_page::episode:
    return get_one(c, episode_kind);
  case zep_page::node_edges:
    return edges_of_node(c);
  default:
    return refuse_as(404, "not_found", "there is no such route");
  }
}

outcome<json> answer_call(call& c) {
  const auto& method = c.request.method;
  switch (c.route.page) {
  case zep_page::users:
    return create_user(c);
  case zep_page::users_ordered:
    return list_shelf(c, users_shelf, "users");
  case zep_page::user:
    if (method == "DELETE") return remove_graph(c, {.kind = "user", .id = c.route.id});
    return method == "PATCH" ? change_user(c) : get_named(c, users_shelf);
  case zep_page::user_threads:
    return threads_of_user(c);
  case zep_page::threads:
    return method == "POST" ? create_thread(c) : list_shelf(c, threads_shelf, "threads");
  case zep_page::thread:
    return remove_thread(c);
  case zep_page::messages:
    return method == "POST" ? add_messages(c) : get_messages(c);
  case zep_page::messages_batch:
    return add_messages(c);
  case zep_page::context:
    return get_context(c);
  case zep_page::entity_types:
    // No model reads what is added, so there is nothing that types would steer.
    if (method == "PUT") return message("entity types are taken, and steer nothing here");
    return json{{"entity_types", json::array()}, {"edge_types", json::array()}};
  default:
    return answer_graph(c);
  }
}

} // namespace

std::string_view zep_wire::methods_of(const http_request& request) const {
  const auto route = zep_route_of(request.raw_path);
  return route ? zep::methods_of(route->page) : std::string_view();
}

http_response zep_wire::handle(const http_request& request) {
  const auto route = zep_route_of(request.raw_path);
  return answer_on(*this, request, [&](json body) {
    call c{.request = request,
           .route = *route,
           .engine = engine_call(to_, request.who),
           .body = std::move(body),
           .turns = turns_};
    return answer_call(c);
  });
}

http_response zep_wire::refuse(int status, std::string_view code, std::string_view message) const {
  return respond(answer{.status = status, .body = {{"message", message}, {"code", code}}});
}

} // namespace mneme::server::zep
