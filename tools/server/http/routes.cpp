#include "tools/server/http/routes.hpp"

#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

#include "messages/text/lower_case.hpp"
#include "tools/protocol/op_table.hpp"
#include "tools/server/http/openapi.hpp"
#include "tools/server/mcp/mcp_http.hpp"

namespace mneme::server {

namespace {

constexpr std::string_view api = "/v1/";
constexpr std::string_view memories = "/v1/memories/";
constexpr std::string_view mcp_path = "/mcp";

bool is_page(std::string_view path) {
  return path == "/health" || path == "/metrics" || path == "/openapi.json" || path == "/v1/root"
         || path == "/v1/proof" || (path.starts_with(memories) && path.size() > memories.size());
}

/// Methods that a path has; empty where there is no such path.
std::string_view methods_of(std::string_view path) {
  if (path == mcp_path) return "POST, DELETE";
  if (path == "/v1/root") return "GET, POST";
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

/// The secret of a request; nullopt: none was shown.
std::optional<std::string> secret_of(const http_request& head) {
  if (head.has_header("x-api-key")) return std::string(head.header("x-api-key"));
  constexpr std::string_view bearer = "bearer ";
  const auto given = head.header("authorization");
  if (given.size() < bearer.size()) return std::nullopt;
  for (std::size_t i = 0; i < bearer.size(); ++i) {
    const char c = given[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != bearer[i])
      return std::nullopt;
  }
  return std::string(given.substr(bearer.size()));
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

std::optional<http_response> routes::authenticate(http_request& head) {
  if (keys_ == nullptr) return std::nullopt;
  const auto secret = secret_of(head);
  const bool is_open = head.path == "/health" || head.path == "/openapi.json";
  if (!secret && is_open) return std::nullopt;
  if (!secret)
    return refuse(401, "unauthorized", "show a key: X-API-Key: KEY, or Authorization: Bearer KEY");
  auto who = keys_->find(*secret);
  if (!who) return refuse(401, "unauthorized", "this key is not known");
  head.who = std::move(*who);
  return std::nullopt;
}

std::optional<http_response> routes::check(http_request& head) {
  if (!hosts_.admits(head.header("host"), head.header("origin")))
    return refuse(403, "forbidden", "this server does not answer requests for that Host or Origin");
  if (auto refusal = authenticate(head)) return refusal;
  const auto methods = methods_of(head.path);
  if (methods.empty()) return refuse(404, "not_found", "there is no such route");
  const bool is_head = head.method == "HEAD" && is_among(methods, "GET");
  if (!is_head && !is_among(methods, head.method)) {
    auto r = refuse(405, "method_not_allowed", "this route does not take that method");
    r.headers.emplace_back("Allow", methods);
    return r;
  }
  if (head.method != "POST") return std::nullopt;
  // A page of another site can send a form, but not this type without asking first.
  if (!is_json_type(head.header("content-type")))
    return refuse(415, "bad_content_type", "the body is application/json");
  if (head.has_header("content-encoding"))
    return refuse(415, "bad_content_type", "the body is not compressed");
  return std::nullopt;
}

http_response routes::handle(const http_request& request) {
  if (request.path == mcp_path) return mcp_.handle(request);
  if (request.method == "POST") {
    const bool names_op = request.path == "/v1/op";
    return respond(
        to_.run_text(request.who, names_op ? "" : op_of_route(request.path), request.body));
  }
  if (request.path == "/health") return health();
  if (request.path == "/openapi.json") return {.body = openapi_text()};
  if (request.path == "/metrics") return metrics_page(request);
  if (request.path == "/v1/root") return root(request);
  if (request.path == "/v1/proof") return proof(request);
  return memory(request);
}

/// Whoever runs the server starts it again on this: opening is what recovers.
http_response routes::health() {
  const auto stats = to_.target().stats();
  if (!stats) return respond(failed(stats.error()));
  if (!stats->stopped.empty())
    return {.status = 503,
            .body = protocol::print(refused(503, "io",
                                            "the engine has stopped; it recovers when the "
                                            "server is started again"
                                                + (stats->log ? ": " + stats->stopped : ""))
                                        .body)
                    + "\n"}; // to ask again is of no use
  if (stats->disk_full.empty()) return respond(done(json::object()));
  return respond(refused(503, "disk_full", "writes wait for room: " + stats->disk_full));
}

http_response routes::memory(const http_request& request) {
  json get{{"id", request.path.substr(memories.size())}};
  if (auto refusal = read_query(request, "get", get)) return std::move(*refusal);
  return respond(to_.run(request.who, "get", std::move(get)));
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
