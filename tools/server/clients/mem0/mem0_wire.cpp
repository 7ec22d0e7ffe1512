#include "tools/server/clients/mem0/mem0_wire.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "tools/protocol/shape.hpp"
#include "tools/server/clients/drawn_names.hpp"
#include "tools/server/clients/engine_call.hpp"
#include "tools/server/clients/mem0/mem0_filter.hpp"
#include "tools/server/clients/mem0/mem0_memory.hpp"
#include "tools/server/clients/mem0/mem0_routes.hpp"
#include "tools/server/http/routes.hpp"

namespace mneme::server::mem0 {

namespace {

using protocol::is_given;

constexpr std::int64_t most_results = 1'000;
constexpr std::size_t at_once = 500;
/// How far a search looks where a filter throws away what it finds.
constexpr std::int64_t most_searched = 4'000;
constexpr double least_score = 0.1;
/// Of a change that others were ahead of.
constexpr int tries = 5;

/// What a request is about.
struct call {
  const http_request& request;
  const mem0_route& route;
  engine_call engine;
  json body;
};

std::unexpected<refusal> no_memory(const std::string& id) {
  return refuse_as(404, "not_found", fmt::format("there is no memory {}", id));
}

json message(std::string_view text) {
  return {{"message", text}};
}

outcome<mem0_memory> memory_of(const engine_call& engine, const std::string& id) {
  auto got = engine.run({{"op", "get"}, {"id", id}});
  if (!got && (got.error().status == 404 || got.error().code == "bad_id")) return no_memory(id);
  if (!got) return propagate_refusal(got);
  auto m = read_mem0_memory((*got)["memory"]);
  if (!m) return no_memory(id);
  return std::move(*m);
}

outcome<std::int64_t> number_of(const std::string& text, std::string_view name,
                                std::int64_t otherwise) {
  if (text.empty()) return otherwise;
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || number < 1)
    return bad_value(fmt::format("{} is a number from 1 on", name));
  return number;
}

struct page {
  std::int64_t number = 1;
  std::int64_t size = 100;
  [[nodiscard]] std::int64_t first() const { return (number - 1) * size; }
};

outcome<page> page_of(const http_request& request) {
  auto number = number_of(parameter(request, "page"), "page", 1);
  if (!number) return propagate_refusal(number);
  auto size = number_of(parameter(request, "page_size"), "page_size", page{}.size);
  if (!size) return propagate_refusal(size);
  if (*size > most_results || *number > (std::int64_t{1} << 31))
    return bad_value("page_size is at most 1000");
  return page{.number = *number, .size = *size};
}

json link(const http_request& request, const page& p, std::int64_t number, bool is_there) {
  if (!is_there) return nullptr;
  return fmt::format("http://{}{}?page={}&page_size={}", request.header("host"), request.path,
                     number, p.size);
}

json paged(const http_request& request, const page& p, std::int64_t count, json results) {
  return {{"count", count},
          {"next", link(request, p, p.number + 1, p.first() + p.size < count)},
          {"previous", link(request, p, p.number - 1, p.number > 1)},
          {"results", std::move(results)}};
}

/// The owners among the parameters, as a filter; all of them are to be met.
json owners_filter(const http_request& request) {
  json filter = json::object();
  for (const auto kind : mem0_kind_names)
    if (auto name = parameter(request, std::string(kind) + "_id"); !name.empty())
      filter[std::string(kind) + "_id"] = std::move(name);
  return filter;
}

/// Everything in a body that narrows: filters, metadata, a range of days, and owners beside them.
outcome<mem0_filter> filter_of(const json& body) {
  json all = json::array();
  if (is_given(body, "filters")) all.push_back(body["filters"]);
  if (is_given(body, "metadata")) all.push_back({{"metadata", body["metadata"]}});
  for (const auto& [key, value] : body.items())
    if (mem0_kind_of_key(key) && !value.is_null()) all.push_back({{key, value}});
  if (is_given(body, "start_date")) all.push_back({{"created_at", {{"gte", body["start_date"]}}}});
  if (is_given(body, "end_date")) all.push_back({{"created_at", {{"lte", body["end_date"]}}}});
  return parse_mem0_filter({{"AND", std::move(all)}});
}

bool shows_expired(const json& body) {
  return is_given(body, "show_expired") && body["show_expired"] == true;
}

// ---- routes

outcome<json> ping(call& c) {
  auto root = c.engine.run({{"op", "root"}});
  if (!root) return propagate_refusal(root);
  // No address: a client would take it for whom to tell of it.
  return json{{"status", "ok"},
              {"org_id", "mneme"},
              {"project_id", (*root)["world_id"]},
              {"user_email", "mneme"}};
}

outcome<json> add(call& c) {
  auto said = mem0_messages(c.body);
  if (!said) return propagate_refusal(said);
  if (std::ranges::find(said->front().owners.names, "*") != said->front().owners.names.end())
    return bad_value("\"*\" is no id: where one is asked for, it is any");
  const auto name_space = mem0_namespace(said->front().owners);
  if (!name_space) return bad_value("the ids of user, agent, app and run are too long");
  json puts = json::array();
  for (const auto& m : *said) puts.push_back(mem0_put(m, *name_space, draw_key()));
  auto written = c.engine.batch(std::move(puts));
  if (!written) return propagate_refusal(written);
  json results = json::array();
  for (std::size_t i = 0; i < said->size(); ++i)
    results.push_back({{"id", (*written)[i]["id"]},
                       {"event", "ADD"},
                       {"memory", (*said)[i].text},
                       {"data", {{"memory", (*said)[i].text}}}});
  return json{{"status", "SUCCEEDED"},
              {"event_id", results.front()["id"]},
              {"results", std::move(results)}};
}

/// Hits of a search as clients get them, best first, as far as they pass.
outcome<json> passing_hits(call& c, const json& hits, const mem0_filter& filter, double threshold,
                           std::size_t most) {
  std::map<std::string, double> matches;
  std::vector<std::string> ids;
  for (const auto& hit : hits) {
    const auto match = hit["match"].get<double>();
    if (match < threshold) continue;
    ids.push_back(hit["id"].get<std::string>());
    matches[ids.back()] = match;
  }
  auto memories = c.engine.memories(ids);
  if (!memories) return propagate_refusal(memories);
  json results = json::array();
  for (const auto& record : *memories) {
    const auto m = read_mem0_memory(record);
    if (!m) continue;
    json shown = mem0_json(*m);
    if (!passes(filter, shown)) continue;
    shown["score"] = matches[m->id];
    results.push_back(std::move(shown));
    if (results.size() == most) break;
  }
  return results;
}

outcome<json> search(call& c) {
  if (!is_given(c.body, "query") || !c.body["query"].is_string())
    return bad_value("query is a text");
  auto filter = filter_of(c.body);
  if (!filter) return propagate_refusal(filter);
  const char* name = is_given(c.body, "top_k") ? "top_k" : "limit";
  std::int64_t most = 10;
  if (is_given(c.body, name)) {
    if (!c.body[name].is_number_integer()) return bad_value("top_k is a whole number");
    most = c.body[name].get<std::int64_t>();
  }
  if (most < 1 || most > most_results) return bad_value("top_k is from 1 to 1000");
  double threshold = least_score;
  if (is_given(c.body, "threshold")) {
    if (!c.body["threshold"].is_number()) return bad_value("threshold is a number");
    threshold = c.body["threshold"].get<double>();
  }
  for (auto limit = most;; limit = std::min(limit * 4, most_searched)) {
    auto found = c.engine.run({{"op", "search"},
                               {"query", c.body["query"]},
                               {"tag", tag_of(*filter)},
                               {"source_type", "memory"},
                               {"similarity_floor", 0},
                               {"include_ended", shows_expired(c.body)},
                               {"limit", limit}});
    if (!found) return propagate_refusal(found);
    const json& hits = (*found)["results"];
    auto results = passing_hits(c, hits, *filter, threshold, static_cast<std::size_t>(most));
    if (!results) return propagate_refusal(results);
    const bool is_all = hits.size() < static_cast<std::size_t>(limit) || limit >= most_searched;
    if (is_all || results->size() == static_cast<std::size_t>(most))
      return json{{"results", std::move(*results)}};
  }
}

/// A page of what passes, and how much there is. The engine counts where it can be asked for just
/// that; else all that it has is looked at.
outcome<std::pair<json, std::int64_t>> listed(call& c, const mem0_filter& filter, const page& p) {
  const auto asked = where_of(filter);
  json results = json::array();
  if (asked.is_exact) {
    auto found = c.engine.run({{"op", "find"},
                               {"where", asked.where},
                               {"order_by", newest_first()},
                               {"include_ended", shows_expired(c.body)},
                               {"limit", p.size},
                               {"offset", p.first()},
                               {"count", true}});
    if (!found) return propagate_refusal(found);
    for (const auto& record : (*found)["memories"])
      if (const auto m = read_mem0_memory(record)) results.push_back(mem0_json(*m));
    return std::pair{std::move(results), (*found)["total"].get<std::int64_t>()};
  }
  std::int64_t count = 0;
  const auto seen =
      c.engine.for_each(asked.where, {.ended = shows_expired(c.body)}, [&](const json& record) {
        const auto m = read_mem0_memory(record);
        if (!m) return true;
        json shown = mem0_json(*m);
        if (!passes(filter, shown)) return true;
        const bool is_on_page = count >= p.first() && count < p.first() + p.size;
        if (is_on_page) results.push_back(std::move(shown));
        ++count;
        return true;
      });
  if (!seen) return std::unexpected(seen.error());
  return std::pair{std::move(results), count};
}

outcome<json> list(call& c) {
  auto p = page_of(c.request);
  if (!p) return propagate_refusal(p);
  auto filter = filter_of(c.body);
  if (!filter) return propagate_refusal(filter);
  auto found = listed(c, *filter, *p);
  if (!found) return propagate_refusal(found);
  return paged(c.request, *p, found->second, std::move(found->first));
}

/// Self-hosted: the owners are parameters, and there is one page.
outcome<json> list_own(call& c) {
  auto filter = parse_mem0_filter(owners_filter(c.request));
  if (!filter) return propagate_refusal(filter);
  auto most = number_of(parameter(c.request, "top_k"), "top_k", most_results);
  if (!most) return propagate_refusal(most);
  auto found = listed(c, *filter, {.number = 1, .size = std::min(*most, most_results)});
  if (!found) return propagate_refusal(found);
  return json{{"results", std::move(found->first)}};
}

outcome<json> get(call& c) {
  auto m = memory_of(c.engine, c.route.id);
  if (!m) return propagate_refusal(m);
  return mem0_json(*m);
}

/// One change of each memory, all or none, once more where somebody else was ahead.
outcome<void> change_all(const engine_call& engine,
                         const std::vector<std::pair<std::string, json>>& changes) {
  for (int i = 1;; ++i) {
    json items = json::array();
    for (const auto& [id, body] : changes) {
      auto m = memory_of(engine, id);
      if (!m) return propagate_refusal(m);
      if (auto ok = take_mem0_details(body, *m); !ok) return ok;
      if (is_given(body, "text")) m->text = body["text"].get<std::string>();
      add_mem0_update(items, *m, is_given(body, "metadata"));
    }
    auto done = engine.batch(std::move(items));
    if (done) return {};
    if (done.error().code != "version_conflict" || i == tries) return propagate_refusal(done);
  }
}

outcome<void> check_text(json& body) {
  if (is_given(body, "data") && !is_given(body, "text")) body["text"] = body["data"];
  if (is_given(body, "text") && (!body["text"].is_string() || body["text"] == ""))
    return bad_value("text is a text that is not empty");
  return {};
}

outcome<json> change(call& c) {
  if (auto ok = check_text(c.body); !ok) return propagate_refusal(ok);
  if (!std::ranges::any_of(std::array{"text", "metadata", "timestamp", "expiration_date"},
                           [&](const char* key) { return c.body.contains(key); }))
    return bad_value("one of text, metadata, timestamp and expiration_date is to be given");
  if (auto ok = change_all(c.engine, {{c.route.id, c.body}}); !ok) return propagate_refusal(ok);
  return get(c);
}

outcome<void> remove(const engine_call& engine, const std::vector<std::string>& uris) {
  for (std::size_t from = 0; from < uris.size(); from += at_once) {
    json items = json::array();
    for (std::size_t i = from; i < std::min(uris.size(), from + at_once); ++i)
      items.push_back({{"op", "tombstone"}, {"uri", uris[i]}, {"reason", "deleted"}});
    auto done = engine.batch(std::move(items));
    if (!done) return propagate_refusal(done);
  }
  return {};
}

outcome<json> remove_one(call& c) {
  auto m = memory_of(c.engine, c.route.id);
  if (!m) return propagate_refusal(m);
  if (auto ok = remove(c.engine, {m->uri}); !ok) return propagate_refusal(ok);
  return message("Memory deleted successfully!");
}

outcome<void> remove_all(call& c, const json& wanted) {
  auto filter = parse_mem0_filter(wanted);
  if (!filter) return propagate_refusal(filter);
  std::vector<std::string> uris;
  const auto seen = c.engine.for_each(where_of(*filter).where, {}, [&](const json& record) {
    const auto m = read_mem0_memory(record);
    if (m && passes(*filter, mem0_json(*m))) uris.push_back(m->uri);
    return true;
  });
  if (!seen) return std::unexpected(seen.error());
  return remove(c.engine, uris);
}

/// Nothing that is given to narrow a deletion is passed over. Mem0's clients send of whose project
/// they are, too.
outcome<void> check_removal(const http_request& request) {
  constexpr std::array of_projects{"org_id", "project_id", "org_name", "project_name"};
  for (const auto& [name, value] : request.query) {
    if (std::ranges::find(of_projects, name) != of_projects.end()) continue;
    if (name != "metadata" && !mem0_kind_of_key(name))
      return bad_value("a deletion is not narrowed by " + name);
    if (value.empty() || request.query.count(name) > 1)
      return bad_value(name + " is given once, and not empty");
  }
  return {};
}

/// What is deleted by owners, and metadata beside them. `*` of one kind are all that have an owner
/// of it, of all four all that there are.
outcome<json> filter_to_remove(const http_request& request) {
  if (auto ok = check_removal(request); !ok) return propagate_refusal(ok);
  json filter = owners_filter(request);
  if (filter.empty())
    return bad_value("one of user_id, agent_id, app_id and run_id is to be given");
  const bool is_all = filter.size() == mem0_kind_names.size()
                      && std::ranges::all_of(filter, [](const json& name) { return name == "*"; });
  if (is_all) filter = json::object();
  const auto metadata = parameter(request, "metadata");
  if (metadata.empty()) return filter;
  auto wanted = protocol::parse_json(metadata);
  if (!wanted || !wanted->is_object() || wanted->empty())
    return bad_value("metadata is an object that is not empty, as JSON");
  filter["metadata"] = std::move(*wanted);
  return filter;
}

outcome<json> remove_owned(call& c) {
  auto filter = filter_to_remove(c.request);
  if (!filter) return filter;
  if (auto removed = remove_all(c, *filter); !removed) return propagate_refusal(removed);
  return message("Memories deleted successfully!");
}

outcome<json> history(call& c) {
  json all;
  json ask{{"op", "history"}, {"id", c.route.id}};
  for (;;) {
    auto part = c.engine.run(ask);
    if (!part && (part.error().status == 404 || part.error().code == "bad_id"))
      return no_memory(c.route.id);
    if (!part) return propagate_refusal(part);
    json versions = std::move((*part)["versions"]);
    const bool is_last = versions.empty() || versions.back()["version"] == 1;
    if (!versions.empty()) ask["before"] = versions.back()["version"];
    if (all.is_null()) {
      all = std::move(*part);
      all["versions"] = json::array();
      ask["at_seq"] = all["at_seq"];
    }
    for (auto& v : versions) all["versions"].push_back(std::move(v));
    if (is_last) break;
  }
  const auto owners = is_given(all, "namespace")
                          ? owners_of_namespace(all["namespace"].get<std::string>())
                          : std::nullopt;
  if (!owners) return no_memory(c.route.id);
  return mem0_history(all, *owners);
}

/// All names of owners: by kind, then by name; in which namespaces, and with how many memories.
struct entity_row {
  std::int64_t memories = 0;
  json namespaces = json::array();
};
using entity_rows = std::map<std::pair<std::size_t, std::string>, entity_row>;

outcome<entity_rows> entities_of(const engine_call& engine) {
  auto all = engine.run({{"op", "namespaces"}});
  if (!all) return propagate_refusal(all);
  entity_rows rows;
  for (const auto& n : (*all)["namespaces"]) {
    const auto owners = owners_of_namespace(n["namespace"].get_ref<const std::string&>());
    if (!owners) continue;
    for (std::size_t i = 0; i < owners->names.size(); ++i) {
      if (owners->names[i].empty()) continue;
      auto& row = rows[{i, owners->names[i]}];
      row.memories += n["memories"].get<std::int64_t>();
      row.namespaces.push_back(n["namespace"]);
    }
  }
  return rows;
}

/// The oldest memory of an entity, and the one that was written last.
void add_ends(json& reads, std::size_t kind, const std::string& name, const entity_row& row) {
  const auto tag = mem0_tag_of(static_cast<mem0_kind>(kind), name);
  const json where =
      tag ? json{{"has_tag", *tag}} : json{{"in", {"head.namespace", row.namespaces}}};
  for (const bool newest : {false, true})
    reads.push_back({{"op", "find"},
                     {"where", where},
                     {"limit", 1},
                     {"order_by",
                      {{{"field", newest ? "version.created_at" : "head.created_at"},
                        {"dir", newest ? "desc" : "asc"}}}}});
}

json end_of(const json& read, const char* part) {
  if (read["ok"] != true || read["memories"].empty()) return nullptr;
  const json& m = read["memories"][0];
  return part == std::string_view("version") ? m["version"]["created_at"] : m["created_at"];
}

outcome<json> entities(call& c) {
  auto p = page_of(c.request);
  if (!p) return propagate_refusal(p);
  auto rows = entities_of(c.engine);
  if (!rows) return propagate_refusal(rows);
  json results = json::array();
  json reads = json::array();
  std::int64_t at = 0;
  for (const auto& [who, row] : *rows) {
    const auto here = at++;
    if (here < p->first() || here >= p->first() + p->size) continue;
    results.push_back({{"id", who.second},
                       {"name", who.second},
                       {"type", mem0_kind_names[who.first]},
                       {"owner", ""},
                       {"total_memories", row.memories},
                       {"metadata", nullptr}});
    add_ends(reads, who.first, who.second, row);
  }
  if (!results.empty()) {
    auto ends =
        c.engine.run({{"op", "tick"}, {"reads", std::move(reads)}, {"writes", json::array()}});
    if (!ends) return propagate_refusal(ends);
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i]["created_at"] = end_of((*ends)["reads"][2 * i], "head");
      results[i]["updated_at"] = end_of((*ends)["reads"][2 * i + 1], "version");
    }
  }
  return paged(c.request, *p, at, std::move(results));
}

/// An entity is there as long as it has memories: to delete one that is not changes nothing.
outcome<json> remove_entity(call& c) {
  if (!mem0_kind_of(c.route.kind))
    return bad_value(
        fmt::format("\"{}\" is no kind of entity: user, agent, app, run", c.route.kind));
  auto removed = remove_all(c, {{c.route.kind + "_id", c.route.id}});
  if (!removed) return propagate_refusal(removed);
  return message("Entity deleted successfully!");
}

outcome<json> batch(call& c) {
  if (!is_given(c.body, "memories") || !c.body["memories"].is_array())
    return bad_value("memories is a list of {memory_id}");
  const bool changes = c.request.method == "PUT";
  std::vector<std::pair<std::string, json>> bodies;
  std::vector<std::string> uris;
  for (auto& m : c.body["memories"]) {
    if (!m.is_object() || !is_given(m, "memory_id") || !m["memory_id"].is_string())
      return bad_value("memories is a list of {memory_id}");
    const auto id = m["memory_id"].get<std::string>();
    if (changes) {
      if (auto ok = check_text(m); !ok) return propagate_refusal(ok);
      bodies.emplace_back(id, m);
      continue;
    }
    auto known = memory_of(c.engine, id);
    if (!known) return propagate_refusal(known);
    uris.push_back(known->uri);
  }
  const auto done = changes ? change_all(c.engine, bodies) : remove(c.engine, uris);
  if (!done) return std::unexpected(done.error());
  return message(fmt::format("Successfully {} {} memories", changes ? "updated" : "deleted",
                             c.body["memories"].size()));
}

outcome<json> answer_call(call& c) {
  const auto& method = c.request.method;
  switch (c.route.page) {
  case mem0_page::ping:
    return ping(c);
  case mem0_page::add:
    return add(c);
  case mem0_page::search:
    return search(c);
  case mem0_page::list:
    return list(c);
  case mem0_page::all:
    return remove_owned(c);
  case mem0_page::memories:
    return method == "POST" ? add(c) : method == "DELETE" ? remove_owned(c) : list_own(c);
  case mem0_page::memory:
    if (method == "DELETE") return remove_one(c);
    return method == "PUT" || method == "PATCH" ? change(c) : get(c);
  case mem0_page::history:
    return history(c);
  case mem0_page::entities:
    return entities(c);
  case mem0_page::entity:
    return remove_entity(c);
  case mem0_page::batch:
    return batch(c);
  }
  return refuse_as(404, "not_found", "there is no such route");
}

} // namespace

std::string_view mem0_wire::methods_of(const http_request& request) const {
  const auto route = mem0_route_of(request.path);
  return route ? mem0::methods_of(route->page) : std::string_view();
}

http_response mem0_wire::handle(const http_request& request) {
  const auto route = mem0_route_of(request.path);
  return answer_on(*this, request, [&](json body) {
    call c{.request = request,
           .route = *route,
           .engine = engine_call(to_, request.who),
           .body = std::move(body)};
    return answer_call(c);
  });
}

http_response mem0_wire::refuse(int status, std::string_view code, std::string_view message) const {
  return respond(answer{.status = status, .body = {{"detail", message}, {"code", code}}});
}

} // namespace mneme::server::mem0
