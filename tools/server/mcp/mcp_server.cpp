#include "tools/server/mcp/mcp_server.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mneme/types.hpp"
#include "tools/protocol/error_text.hpp"
#include "tools/server/mcp/mcp_prompts.hpp"
#include "tools/server/mcp/mcp_text.hpp"
#include "tools/server/mcp/mcp_tools.hpp"
#include "tools/server/mcp/memory_tool.hpp"

namespace mneme::server {

namespace {

constexpr std::array<std::string_view, 2> versions = {"2025-11-25", "2025-06-18"}; // newest first
constexpr std::size_t page = 50;

constexpr std::string_view instructions =
    "A memory that lasts. Call context at the start of a task, with the task as its query. Call "
    "search before you ask the user for something that may be known. Call remember for what will "
    "matter later, update when it changed, and forget what is wrong.";
constexpr std::string_view instructions_of_all =
    " Call relate to link things, and attest when a task is done.";

std::string text_at(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return {};
  return object[key].get<std::string>();
}

/// "code: message (at)".
std::string problem_text(const json& error) {
  std::string text =
      fmt::format("{}: {}", error["code"].get<std::string>(), error["message"].get<std::string>());
  if (error.contains("at")) text += fmt::format(" (at {})", error["at"].get<std::string>());
  return text;
}

json content_of(std::string_view text) {
  return json::array({{{"type", "text"}, {"text", text}}});
}

json tool_error(std::string_view text) {
  return {{"content", content_of(text)}, {"isError", true}};
}

json resource_content(const std::string& uri, const json& value) {
  return {{"contents", json::array({{{"uri", uri},
                                     {"mimeType", "application/json"},
                                     {"text", protocol::print_pretty(value)}}})}};
}

} // namespace

std::string unescaped_uri(std::string uri) {
  constexpr std::string_view escaped = "%23";
  if (const auto at = uri.find(escaped); at != std::string::npos)
    uri.replace(at, escaped.size(), "#");
  return uri;
}

struct mcp_server::call {
  const client& who;
  const json& id;
  const json& params;
  const notifier& notify;
  resource_feed* feed;
  json progress_token; ///< null: the caller wants none

  void progress(int done, int total, std::string_view message) const {
    if (progress_token.is_null()) return;
    json p{{"progress", done}, {"total", total}, {"message", message}};
    p["progressToken"] = progress_token;
    notify(rpc_notification("notifications/progress", std::move(p)));
  }
  [[nodiscard]] json result(json r) const { return rpc_result(id, std::move(r)); }
  [[nodiscard]] json fail(rpc_code code, std::string_view text, json data = {}) const {
    return rpc_error(id, code, text, std::move(data));
  }
};

mcp_server::mcp_server(door& to, mcp_options options)
    : to_(to), options_(std::move(options)), turns_(options_.directory) {
  if (options_.memory_files) sets_.push_back(std::make_unique<memory_tool>(to, turns_));
  if (!options_.reference_memory) return;
  auto graph = std::make_unique<reference_memory>(to, turns_);
  graph_ = graph.get();
  sets_.push_back(std::move(graph));
}

tool_set* mcp_server::set_of(std::string_view name) const {
  const auto found = std::ranges::find_if(sets_, [&](const auto& set) { return set->has(name); });
  return found == sets_.end() ? nullptr : found->get();
}

bool mcp_server::knows_version(std::string_view version) noexcept {
  return std::ranges::find(versions, version) != versions.end();
}

namespace {

json initialize_result(const json& params, const tool_choice& tools) {
  const auto asked = text_at(params, "protocolVersion");
  const std::string version =
      mcp_server::knows_version(asked) ? asked : std::string(versions.front());
  json info{{"name", "mneme"}, {"title", "mneme memory"}, {"version", MNEME_VERSION}};
  if (version == versions.front()) info["description"] = "A memory engine for agents";
  std::string advice(instructions);
  if (!tools.only_basic) advice += instructions_of_all;
  return {{"protocolVersion", version},
          {"capabilities",
           {{"tools", {{"listChanged", false}}},
            {"resources", {{"subscribe", true}, {"listChanged", true}}},
            {"prompts", {{"listChanged", false}}}}},
          {"serverInfo", std::move(info)},
          {"instructions", std::move(advice)}};
}

json templates() {
  return {{"resourceTemplates",
           json::array({{{"uriTemplate", "mneme://{type}/{id}#{version}"},
                         {"name", "memory"},
                         {"title", "One version of a memory"},
                         {"description", "type is Note, Fact, …; id has 26 characters"},
                         {"mimeType", "application/json"}},
                        {{"uriTemplate", "mneme://memory/{id}"},
                         {"name", "newest"},
                         {"title", "The newest version of a memory"},
                         {"mimeType", "application/json"}}})}};
}

/// Of the cursor of a list, or nullopt where it is none of ours.
std::optional<std::size_t> offset_of(const json& params) {
  if (!params.is_object() || !params.contains("cursor")) return 0;
  const auto text = text_at(params, "cursor");
  std::size_t offset = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size())
    return std::nullopt;
  return offset;
}

} // namespace

json mcp_server::handle(const client& who, const json& request, const notifier& notify,
                        resource_feed* feed) {
  static const json nothing = json::object();
  const json& params = request.contains("params") ? request["params"] : nothing;
  const auto method = request["method"].get<std::string>();
  call c{who, request["id"], params, notify, feed, nullptr};
  if (!params.is_object()) return c.fail(rpc_code::invalid_params, "params is an object");
  if (params.contains("_meta") && params["_meta"].is_object()
      && params["_meta"].contains("progressToken"))
    c.progress_token = params["_meta"]["progressToken"];
  // A message must not end the server, whatever it meets: no memory, or a bug.
  try {
    return dispatch(c, method);
  } catch (const std::exception&) {
    return c.fail(rpc_code::internal_error, "the server could not answer");
  }
}

json mcp_server::dispatch(const call& c, const std::string& method) {
  const json& params = c.params;
  if (method == "initialize") {
    if (text_at(params, "protocolVersion").empty())
      return c.fail(rpc_code::invalid_params, "protocolVersion is missing");
    return c.result(initialize_result(params, options_.tools));
  }
  if (method == "ping") return c.result(json::object());
  if (method == "tools/list") return c.result({{"tools", list_tools(c.who)}});
  if (method == "tools/call") return call_tool(c);
  if (method == "resources/list") return list_resources(c);
  if (method == "resources/templates/list") return c.result(templates());
  if (method == "resources/read") return read_resource(c);
  if (method == "resources/subscribe") return subscribe(c, true);
  if (method == "resources/unsubscribe") return subscribe(c, false);
  if (method == "prompts/list") return c.result({{"prompts", prompts()}});
  if (method == "prompts/get") return get_prompt(c);
  return c.fail(rpc_code::method_not_found, fmt::format("there is no method {}", method));
}

json mcp_server::list_tools(const client& who) const {
  json list = json::array();
  for (const auto& tool : tools())
    if (is_there(tool, options_.tools) && is_offered(tool, who))
      list.push_back(tool_json(tool, who));
  for (const auto& set : sets_)
    for (auto& tool : set->tools_for(who)) list.push_back(std::move(tool));
  return list;
}

json mcp_server::call_tool(const call& c) {
  const auto name = text_at(c.params, "name");
  const auto* const ours = find_tool(name);
  const bool is_ours = ours != nullptr && is_there(*ours, options_.tools);
  if (!is_ours && set_of(name) == nullptr)
    return c.fail(rpc_code::invalid_params, fmt::format("Unknown tool: {}", name));
  static const json none = json::object();
  const json& arguments = c.params.contains("arguments") ? c.params["arguments"] : none;
  if (!arguments.is_object()) return c.fail(rpc_code::invalid_params, "arguments is an object");
  c.progress(0, 1, name);
  json result = tool_result(c, name, arguments);
  c.progress(1, 1, name);
  return c.result(std::move(result));
}

json mcp_server::tool_result(const call& c, const std::string& name, const json& arguments) {
  if (const auto* tool = find_tool(name)) {
    auto [op, a] = server::call_tool(to_, c.who, *tool, arguments);
    if (!is_ok(a))
      return tool_error(within_budget(problem_text(a.body["error"]), options_.text_tokens));
    a.body.erase("ok");
    return {{"content", content_of(compact_text(op, a.body, options_.text_tokens))},
            {"structuredContent", std::move(a.body)},
            {"isError", false}};
  }
  return set_of(name)->call(c.who, name, arguments);
}

/// What names nothing is taken like what may not be seen: nobody hears of it.
json mcp_server::subscribe(const call& c, bool subscribes) {
  const auto uri = text_at(c.params, "uri");
  if (uri.empty()) return c.fail(rpc_code::invalid_params, "uri is missing");
  constexpr std::size_t most_bytes = 1'024;
  if (uri.size() > most_bytes) return c.fail(rpc_code::invalid_params, "this uri is too long");
  if (c.feed == nullptr) return c.fail(rpc_code::invalid_params, "there is no session");
  c.feed->begin(to_, c.who);
  if (!subscribes)
    c.feed->unsubscribe(uri);
  else if (!c.feed->subscribe(uri))
    return c.fail(
        rpc_code::invalid_params,
        fmt::format("a session subscribes to {} resources at most", resource_feed::most_uris));
  return c.result(json::object());
}

json mcp_server::list_resources(const call& c) {
  if (c.feed != nullptr) c.feed->begin(to_, c.who); // first: nothing falls between
  const auto offset = offset_of(c.params);
  if (!offset) return c.fail(rpc_code::invalid_params, "this cursor is not known");
  // One more than a page, to see whether there is a next one.
  json types = json::array();
  for (std::uint8_t byte = 1; byte <= memory_type_count; ++byte)
    types.push_back(to_string(static_cast<memory_type>(byte)));
  answer a = to_.run(c.who, "find",
                     {{"types", types},
                      {"limit", page + 1},
                      {"offset", *offset},
                      {"order_by", {{{"field", "version.created_at"}, {"dir", "desc"}}}}});
  if (!is_ok(a))
    return c.fail(a.status == 400 ? rpc_code::invalid_params : rpc_code::internal_error,
                  problem_text(a.body["error"]));
  json list = json::array();
  if (*offset == 0) {
    list.push_back({{"uri", context_uri},
                    {"name", "context"},
                    {"title", "What to know first"},
                    {"mimeType", "application/json"}});
    list.push_back({{"uri", root_uri},
                    {"name", "root"},
                    {"title", "Root of all state"},
                    {"mimeType", "application/json"}});
    if (graph_ != nullptr)
      list.push_back({{"uri", knowledge_graph_uri},
                      {"name", "knowledge-graph"},
                      {"title", "Knowledge Graph"},
                      {"description", "The full knowledge graph with all entities and relations"},
                      {"mimeType", "application/json"}});
  }
  const json& memories = a.body["memories"];
  for (std::size_t i = 0; i < std::min(page, memories.size()); ++i) {
    const json& m = memories[i];
    list.push_back({{"uri", m["uri"]},
                    {"name", name_in_list(m)},
                    {"description", m["type"]},
                    {"mimeType", "application/json"}});
  }
  json result{{"resources", std::move(list)}};
  if (memories.size() > page) result["nextCursor"] = std::to_string(*offset + page);
  return c.result(std::move(result));
}

json mcp_server::read_resource(const call& c) {
  const auto uri = text_at(c.params, "uri");
  if (uri.empty()) return c.fail(rpc_code::invalid_params, "uri is missing");
  if (graph_ != nullptr && uri == knowledge_graph_uri) {
    auto graph = graph_->graph(c.who);
    if (!graph) return c.fail(rpc_code::internal_error, graph.error().message);
    return c.result(resource_content(uri, *graph));
  }
  constexpr std::string_view newest = "mneme://memory/";
  answer a;
  if (uri == context_uri)
    a = to_.run(c.who, "context", json::object());
  else if (uri == root_uri)
    a = to_.run(c.who, "root", json::object());
  else if (uri.starts_with(newest))
    a = to_.run(c.who, "get", {{"id", uri.substr(newest.size())}});
  else
    a = to_.run(c.who, "resolve", {{"uri", unescaped_uri(uri)}});
  if (is_ok(a)) {
    a.body.erase("ok");
    return c.result(resource_content(uri, a.body.contains("memory") ? a.body["memory"] : a.body));
  }
  const bool is_missing = a.status == 404 || a.status == 400;
  return c.fail(is_missing ? rpc_code::resource_not_found : rpc_code::internal_error,
                problem_text(a.body["error"]), {{"uri", uri}});
}

json mcp_server::get_prompt(const call& c) {
  const auto name = text_at(c.params, "name");
  auto prompt = prompt_of(name, c.params.value("arguments", json::object()));
  if (!prompt) return c.fail(rpc_code::invalid_params, fmt::format("Unknown prompt: {}", name));
  if (!*prompt) return c.fail(rpc_code::invalid_params, prompt->error().message);
  std::string text = (*prompt)->text;
  if (!(*prompt)->request.is_null()) {
    const auto op = (*prompt)->request["op"].get<std::string>();
    answer a = to_.run(c.who, "", (*prompt)->request);
    if (!is_ok(a)) return c.fail(rpc_code::invalid_params, problem_text(a.body["error"]));
    a.body.erase("ok");
    const auto at = text.rfind("{}");
    text.replace(at, 2, compact_text(op, a.body, options_.text_tokens));
  }
  return c.result({{"messages", json::array({{{"role", "user"},
                                              {"content", {{"type", "text"}, {"text", text}}}}})}});
}

} // namespace mneme::server
