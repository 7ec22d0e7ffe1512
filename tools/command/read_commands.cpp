// get, edges.

#include <algorithm>

#include <nlohmann/json.hpp>

#include "tools/command/world_arguments.hpp"

namespace mneme::command {

namespace {

struct get_options {
  common_options common;
  std::string target;
  std::optional<std::string> name_space;
  std::optional<std::string> key;
  std::optional<std::string> actor;
  std::optional<std::int64_t> at_seq;
  std::optional<std::string> at;
  bool raw = false;
  bool history = false;
  std::optional<std::int64_t> history_limit;
  bool events = false;
};

status run_get(const get_options& o) {
  json request = json::object();
  const bool is_uri = o.target.starts_with("mneme:");
  std::string_view op = is_uri ? "resolve" : "get";
  if (is_request_argument(o.target)) {
    auto read = read_request_argument(o.target);
    if (!read) return report(o.common, read.error());
    request = std::move(*read);
    if (request.contains("uri")) op = "resolve";
  } else if (!o.target.empty()) {
    request[is_uri ? "uri" : "id"] = o.target;
  }
  set_if(request, "namespace", o.name_space);
  set_if(request, "key", o.key);
  set_if(request, "actor", o.actor);
  set_if(request, "at_seq", o.at_seq);
  set_if(request, "at", o.at);
  if (o.raw) request["raw"] = true;
  if (o.history) request["history"] = true;
  set_if(request, "history_limit", o.history_limit);
  if (o.events) request["events"] = true;
  return run_request(o.common, op, std::move(request));
}

struct edges_options {
  common_options common;
  std::string target;
  std::optional<std::string> direction;
  std::vector<std::string> types;
  bool include_tombstoned = false;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
  std::optional<std::string> actor;
  std::optional<std::int64_t> at_seq;
  std::optional<std::string> at;
};

/// A request as JSON, or one that names the memory of an id or uri.
result<json> request_about(const std::string& target) {
  if (is_request_argument(target)) return read_request_argument(target);
  if (!target.starts_with("mneme:")) return json{{"id", target}};
  auto uri = parse_memory_uri(target);
  if (!uri) return propagate(uri);
  return json{{"id", to_string(uri->id)}};
}

/// What the ends of edges are called: by their first words.
void add_titles(json& answer, const json& request, const world_question& ask) {
  constexpr std::size_t most_asked = 500;
  std::vector<std::string> ids;
  for (const auto& edge : answer["edges"])
    for (const char* end : {"src", "dst"}) ids.push_back(edge[end].get<std::string>());
  std::ranges::sort(ids);
  const auto repeated = std::ranges::unique(ids);
  ids.erase(repeated.begin(), repeated.end());
  ids.resize(std::min(ids.size(), most_asked));
  json titles = json::object();
  for (const std::string& id : ids) {
    json get{{"id", id}};
    for (const char* key : {"actor", "at_seq", "at"})
      if (request.contains(key)) get[key] = request[key];
    if (auto got = ask("get", std::move(get)))
      titles[id] = (*got)["memory"]["forms"].value("short", "");
  }
  answer["titles"] = std::move(titles);
}

status run_edges(const edges_options& o) {
  auto about = request_about(o.target);
  if (!about) return report(o.common, about.error());
  json& request = *about;
  set_if(request, "direction", o.direction);
  if (!o.types.empty()) request["types"] = o.types;
  if (o.include_tombstoned) request["include_tombstoned"] = true;
  set_if(request, "limit", o.limit);
  set_if(request, "offset", o.offset);
  set_if(request, "actor", o.actor);
  set_if(request, "at_seq", o.at_seq);
  set_if(request, "at", o.at);
  const json asked = request;
  return run_request(
      o.common, "edges", std::move(request),
      [&](json& answer, const world_question& ask) { add_titles(answer, asked, ask); });
}

struct stale_options {
  common_options common;
  std::string target;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
  std::optional<std::string> actor;
  std::optional<std::int64_t> at_seq;
  std::optional<std::string> at;
};

status run_stale(const stale_options& o) {
  auto request = request_about(o.target);
  if (!request) return report(o.common, request.error());
  set_if(*request, "limit", o.limit);
  set_if(*request, "offset", o.offset);
  set_if(*request, "actor", o.actor);
  set_if(*request, "at_seq", o.at_seq);
  set_if(*request, "at", o.at);
  return run_request(o.common, "stale_of", std::move(*request));
}

} // namespace

void add_read_commands(CLI::App& app, command_result& outcome) {
  add_command<get_options>(
      app, "get", "Show a memory: its newest version (id), or exactly one (uri)", true, outcome,
      [](CLI::App& c, get_options& o) {
        c.add_option("ID", o.target, "id or uri, or a request as JSON, or -");
        c.add_option("--namespace", o.name_space, "instead of an ID: of the key");
        c.add_option("--key", o.key, "what the memory was put by");
        c.add_option("--actor", o.actor, "who is asking");
        c.add_option("--at-seq", o.at_seq, "as of an earlier entry");
        c.add_option("--at", o.at, "as of the last entry at or before this time");
        c.add_flag("--raw", o.raw, "add the canonical head (base64)");
        c.add_flag("--history", o.history, "of a topic: all values that its fields had");
        c.add_option("--history-limit", o.history_limit, "at most so many of each field (500)");
        c.add_flag("--events", o.events, "of a topic: its audit log");
      },
      run_get);
  add_command<edges_options>(
      app, "edges", "List the edges of a memory", true, outcome,
      [](CLI::App& c, edges_options& o) {
        c.add_option("ID", o.target, "id or uri, or a request as JSON, or -")->required();
        c.add_option("--direction", o.direction, "out, in or both (default)");
        declare_repeated(c, "--type", o.types, "may be repeated");
        c.add_flag("--include-tombstoned", o.include_tombstoned, "removed edges too");
        c.add_option("--limit", o.limit, "at most so many (default: all)");
        c.add_option("--offset", o.offset, "leave out the first so many");
        c.add_option("--actor", o.actor, "who is asking");
        c.add_option("--at-seq", o.at_seq, "as of an earlier entry");
        c.add_option("--at", o.at, "as of the last entry at or before this time");
      },
      run_edges);
  add_command<stale_options>(
      app, "stale", "What rests on a memory that has fallen, and was not affirmed since", true,
      outcome,
      [](CLI::App& c, stale_options& o) {
        c.add_option("ID", o.target, "id or uri, or a request as JSON, or -")->required();
        c.add_option("--limit", o.limit, "at most so many (default: all)");
        c.add_option("--offset", o.offset, "leave out the first so many");
        c.add_option("--actor", o.actor, "who is asking");
        c.add_option("--at-seq", o.at_seq, "as of an earlier entry");
        c.add_option("--at", o.at, "as of the last entry at or before this time");
      },
      run_stale);
}

} // namespace mneme::command
