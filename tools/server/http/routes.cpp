#include "tools/server/http/routes.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

#include "messages/text/lower_case.hpp"
#include "tools/protocol/op_table.hpp"
#include "tools/server/http/change_events.hpp"
#include "tools/server/http/cross_origin.hpp"
#include "tools/server/http/openapi.hpp"
#include "tools/server/mcp/mcp_http.hpp"

namespace mneme::server {

namespace {

constexpr std::string_view api = "/v1/";
constexpr std::string_view memories = "/v1/memories/";
constexpr std::string_view mcp_path = "/mcp";
constexpr std::string_view changes_path = "/v1/changes";

bool is_page(std::string_view path) {
  return path == "/health" || path == "/metrics" || path == "/openapi.json" || path == "/v1/root"
         || path == "/v1/proof" || (path.starts_with(memories) && path.size() > memories.size());
}

/// Methods that a path has; empty where there is no such path.
std::string_view methods_of(std::string_view path) {
  if (path == mcp_path) return "GET, POST, DELETE";
  if (path == "/v1/root" || path == changes_path) return "GET, POST";
  if (is_page(path)) return "GET";
  return path == "/v1/op" || !op_of_route(path).empty() ? "POST" : "";
}

bool is_among(std::string_view list, std::string_view word) {
  for (;;) {
    const auto comma = list.find(", ");
    if (list.substr(0, comma) == word) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 2);
  }
}

bool is_json_type(std::string_view type) {
  type = type.substr(0, type.find(';'));
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  return lower_ascii(type) == "application/json";
}

/// The secret of a request, after one of these words; nullopt: none was shown.
std::optional<std::string> secret_of(const http_request& head,
                                     std::initializer_list<std::string_view> schemes) {
  if (head.has_header("x-api-key")) return std::string(head.header("x-api-key"));
  const auto given = head.header("authorization");
  const auto space = given.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  if (std::ranges::find(schemes, lower_ascii(given.substr(0, space))) == schemes.end())
    return std::nullopt;
  return std::string(given.substr(space + 1));
}

bool brings_body(const http_request& head) {
  if (head.method == "POST" || head.method == "PUT" || head.method == "PATCH") return true;
  return head.method == "DELETE" && !head.header("content-length").empty()
         && head.header("content-length") != "0";
}

/// The parameters of a query string as the keys of an op. A key that takes a list may be given
/// several times.
std::optional<http_response> read_query(const http_request& request, std::string_view op_name,
                                        json& into) {
  const auto* op = protocol::find_op(op_name);
  for (const auto& [name, text] : request.query) {
    const auto* key = static_cast<const protocol::key_shape*>(nullptr);
    for (const auto& k : op->keys)
      if (k.name == name) key = &k;
    auto kind = key == nullptr ? protocol::shape_kind::text : key->value->kind;
    const bool is_list = kind == protocol::shape_kind::list;
    if (is_list) kind = key->value->item->kind;
    json value = text;
    if (kind == protocol::shape_kind::integer) {
      std::int64_t number = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool is_whole = read.ptr == text.data() + text.size();
      if (read.ec == std::errc::result_out_of_range && is_whole)
        return respond(refused(400, "out_of_range", "a number is from -2^63 to 2^63 - 1", name));
      if (read.ec == std::errc{} && is_whole) value = number;
    }
    if (kind == protocol::shape_kind::boolean && (text == "true" || text == "false"))
      value = text == "true";
    if (is_list)
      into[name].push_back(std::move(value));
    else if (into.contains(name))
      return respond(refused(400, "bad_value", "this parameter is given twice", name));
    else
      into[name] = std::move(value);
  }
  return std::nullopt;
}

} // namespace

std::string_view op_of_route(std::string_view path) noexcept {
  if (!path.starts_with(api)) return {};
  path.remove_prefix(api.size());
  if (path == "query") return "retrieve";
  const auto* op = protocol::find_op(path);
  return op == nullptr ? std::string_view() : op->name;
}

http_response respond(const answer& a) {
  http_response r{.status = a.status, .body = protocol::print(a.body) + "\n"};
  if (const int seconds = retry_after_s(a.status); seconds > 0)
    r.headers.emplace_back("Retry-After", std::to_string(seconds));
  if (a.status == 401) r.headers.emplace_back("WWW-Authenticate", "Bearer");
  return r;
}

http_response refuse(int status, std::string_view code, std::string_view message) {
  return respond(refused(status, code, message));
}

client_wire* routes::wire_of(const http_request& request) const {
  const auto found = std::ranges::find_if(
      wires_, [&](const auto& wire) { return !wire->methods_of(request).empty(); });
  return found == wires_.end() ? nullptr : found->get();
}

std::optional<http_response> routes::authenticate(http_request& head, const client_wire* wire) {
  if (keys_ == nullptr) return std::nullopt;
  const auto refused = [&](std::string_view message) {
    return wire == nullptr ? refuse(401, "unauthorized", message)
                           : wire->refuse(401, "unauthorized", message);
  };
  const auto secret = secret_of(head, {"bearer", wire == nullptr ? "bearer" : wire->scheme()});
  const bool is_open = head.path == "/health" || head.path == "/openapi.json";
  if (!secret && is_open) return std::nullopt;
  if (!secret) return refused("show a key: X-API-Key: KEY, or Authorization: Bearer KEY");
  auto who = keys_->find(*secret);
  if (!who) return refused("this key is not known");
  head.who = std::move(*who);
  return std::nullopt;
}

std::optional<http_response> routes::check(http_request& head) {
  if (!hosts_.admits(head.header("host"), head.header("origin")))
    return refuse(403, "forbidden", "this server does not answer requests for that Host or Origin");
  auto refusal = judge(head);
  if (refusal) admit_page(head, *refusal);
  return refusal;
}

std::optional<http_response> routes::judge(http_request& head) {
  const client_wire* wire = wire_of(head);
  const auto refused = [&](int status, std::string_view code, std::string_view message) {
    return wire == nullptr ? refuse(status, code, message) : wire->refuse(status, code, message);
  };
  const auto methods = wire == nullptr ? methods_of(head.path) : wire->methods_of(head);
  if (is_preflight(head) && !methods.empty()) return preflight_answer(head, methods);
  if (auto refusal = authenticate(head, wire)) return refusal;
  if (methods.empty()) return refuse(404, "not_found", "there is no such route");
  const bool is_head = head.method == "HEAD" && is_among(methods, "GET");
  if (!is_head && !is_among(methods, head.method)) {
    auto r = refused(405, "method_not_allowed", "this route does not take that method");
    r.headers.emplace_back("Allow", methods);
    return r;
  }
  if (!brings_body(head)) return std::nullopt;
  // A page of another site can send a form, but not this type without asking first.
  if (!is_json_type(head.header("content-type")))
    return refused(415, "bad_content_type", "the body is application/json");
  if (head.has_header("content-encoding"))
    return refused(415, "bad_content_type", "the body is not compressed");
  return std::nullopt;
}

http_response routes::handle(const http_request& request) {
  http_response made = answer_of(request);
  admit_page(request, made);
  return made;
}

http_response routes::answer_of(const http_request& request) {
  if (client_wire* wire = wire_of(request); wire != nullptr) return wire->handle(request);
  if (request.path == mcp_path) return mcp_.handle(request);
  if (request.method == "POST") {
    if (!request.query.empty())
      return respond(refused(400, "unknown_key", "what is asked for is in the body, not behind a ?",
                             request.query.begin()->first));
    const bool names_op = request.path == "/v1/op";
    return respond(
        to_.run_text(request.who, names_op ? "" : op_of_route(request.path), request.body));
  }
  if (request.path == "/health") return health();
  if (request.path == "/openapi.json") return {.body = openapi_text()};
  if (request.path == "/metrics") return metrics_page(request);
  if (request.path == "/v1/root") return root(request);
  if (request.path == "/v1/proof") return proof(request);
  if (request.path == changes_path) return changes(request);
  return memory(request);
}

/// Whoever runs the server starts it again on what has stopped: opening is what recovers.
http_response routes::health() {
  const auto stats = to_.stats();
  if (!stats) return respond(failed(stats.error()));
  if (!stats->stopped.empty())
    return {.status = 503,
            .body = protocol::print(refused(503, "io",
                                            "the engine has stopped; it recovers when the "
                                            "server is started again"
                                                + (stats->log ? ": " + stats->stopped : ""))
                                        .body)
                    + "\n"}; // to ask again is of no use
  if (stats->log && stats->log->is_cut_off)
    return respond(refused(503, "busy",
                           "writes are refused: "
                               + (stats->log->problem.empty() ? "the lead of the log was lost"
                                                              : stats->log->problem)));
  if (stats->disk_full.empty()) return respond(done(json::object()));
  return respond(refused(503, "disk_full", "writes wait for room: " + stats->disk_full));
}

http_response routes::memory(const http_request& request) {
  json get{{"id", request.path.substr(memories.size())}};
  if (auto refusal = read_query(request, "get", get)) return std::move(*refusal);
  return respond(to_.run(request.who, "get", std::move(get)));
}

http_response routes::changes(const http_request& request) {
  json asked = json::object();
  http_request from = request;
  // What an EventSource says when it comes back: where it was, not where it began.
  if (const auto last = request.header("last-event-id"); !last.empty()) {
    from.query.erase("since");
    from.query.emplace("since", last);
  }
  if (auto refusal = read_query(from, "changes", asked)) return std::move(*refusal);
  if (!wants_events(request)) return respond(to_.run(request.who, "changes", std::move(asked)));
  const auto secret = secret_of(request, {"bearer"});
  return change_events(to_, streams_, request.who, std::move(asked), [keys = keys_, secret] {
    return keys == nullptr || (secret && keys->find(*secret));
  });
}

http_response routes::root(const http_request& request) {
  json root = json::object();
  if (auto refusal = read_query(request, "root", root)) return std::move(*refusal);
  return respond(to_.run(request.who, "root", std::move(root)));
}

/// Parameters in the singular: id, seq; edges and fields need a body, POST /v1/prove.
http_response routes::proof(const http_request& request) {
  http_request plural = request;
  plural.query.clear();
  for (const auto& [name, value] : request.query)
    plural.query.emplace(name == "id" || name == "seq" ? name + "s" : name, value);
  json prove = json::object();
  if (auto refusal = read_query(plural, "prove", prove)) return std::move(*refusal);
  return respond(to_.run(request.who, "prove", std::move(prove)));
}

http_response routes::metrics_page(const http_request& request) {
  if (!request.who.is_host()) return refuse(403, "forbidden", "metrics are for a key of the host");
  auto text = to_.metrics_text();
  if (!text) return respond(failed(text.error()));
  return {.content_type = "text/plain; version=0.0.4", .body = std::move(*text)};
}

} // namespace mneme::server
