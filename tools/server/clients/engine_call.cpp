#include "tools/server/clients/engine_call.hpp"

#include <fmt/format.h>

#include "tools/server/http/routes.hpp"

namespace mneme::server {

namespace {

constexpr std::size_t memories_at_once = 500;

} // namespace

std::unexpected<refusal> refuse_as(int status, std::string_view code, std::string message) {
  return std::unexpected(
      refusal{.status = status, .code = std::string(code), .message = std::move(message)});
}

outcome<json> engine_call::run(json request) const {
  answer a = to_.run(who_, "", std::move(request));
  if (is_ok(a)) {
    a.body.erase("ok");
    return std::move(a.body);
  }
  const json& e = a.body["error"];
  return refuse_as(a.status, e["code"].get<std::string>(), e["message"].get<std::string>());
}

outcome<json> engine_call::batch(json items) const {
  if (items.empty()) return json::array();
  auto done = run({{"op", "batch"}, {"items", std::move(items)}});
  if (!done) return propagate_refusal(done);
  return std::move((*done)["results"]);
}

outcome<json> engine_call::memories(const std::vector<std::string>& ids) const {
  json found = json::array();
  for (std::size_t from = 0; from < ids.size(); from += memories_at_once) {
    json reads = json::array();
    for (std::size_t i = from; i < std::min(ids.size(), from + memories_at_once); ++i)
      reads.push_back({{"op", "get"}, {"id", ids[i]}});
    auto answered = run({{"op", "tick"}, {"reads", std::move(reads)}, {"writes", json::array()}});
    if (!answered) return propagate_refusal(answered);
    for (auto& read : (*answered)["reads"])
      if (read["ok"] == true) found.push_back(std::move(read["memory"]));
  }
  return found;
}

outcome<void> engine_call::for_each(const json& where, past_shown also,
                                    const std::function<bool(const json& memory)>& visit) const {
  json find{{"op", "find"},
            {"where", where},
            {"order_by", newest_first()},
            {"include_ended", also.ended},
            {"include_archived", also.archived},
            {"limit", memories_at_once}};
  for (std::size_t offset = 0;; offset += memories_at_once) {
    find["offset"] = offset;
    auto page = run(find);
    if (!page) return propagate_refusal(page);
    for (const auto& memory : (*page)["memories"])
      if (!visit(memory)) return {};
    if ((*page)["memories"].size() < memories_at_once) return {};
    find["at_seq"] = (*page)["at_seq"];
  }
}

std::string engine_call::own(std::string_view name_space) const {
  return who_.is_host() ? std::string(name_space) : fmt::format("{}/{}", name_space, who_.actor);
}

json newest_first() {
  return {{{"field", "head.created_at"}, {"dir", "desc"}}, {{"field", "head.id"}, {"dir", "desc"}}};
}

outcome<json> body_of(const http_request& request) {
  if (request.body.empty()) return json::object();
  auto body = protocol::parse_json(request.body);
  if (!body) return refuse_as(400, to_string(body.error().code), body.error().message);
  if (!body->is_object()) return bad_value("the body is an object");
  return std::move(*body);
}

http_response answer_on(const client_wire& wire, const http_request& request,
                        const std::function<outcome<json>(json body)>& answered) {
  auto body = body_of(request);
  auto made = body ? answered(std::move(*body)) : outcome<json>(propagate_refusal(body));
  if (!made) return wire.refuse(made.error().status, made.error().code, made.error().message);
  return respond(answer{.status = 200, .body = std::move(*made)});
}

std::string parameter(const http_request& request, std::string_view name) {
  const auto found = request.query.find(std::string(name));
  return found == request.query.end() ? std::string() : found->second;
}

} // namespace mneme::server
