#include "tools/server/http/openapi.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "tools/server/access/permission.hpp"
#include "tools/server/json_schema.hpp"

namespace mneme::server {

namespace {

json body_of(json schema) {
  return {{"content", {{"application/json", {{"schema", std::move(schema)}}}}}};
}

json described(json response, std::string_view text) {
  response["description"] = text;
  return response;
}

json reference(const std::string& name) {
  return {{"$ref", "#/components/schemas/" + name}};
}

struct refusal {
  std::string_view status;
  std::string_view text;
};
constexpr std::array refusals = {
    refusal{"400", "the request itself is wrong"},
    refusal{"401", "no key, or one that is not known"},
    refusal{"403", "the key does not allow it, or the Host or Origin is not served"},
    refusal{"404", "not there, or not for this actor to see"},
    refusal{"405", "the route does not take this method"},
    refusal{"408", "the request did not come in time"},
    refusal{"409", "in conflict with what is there"},
    refusal{"411", "the body has no Content-Length"},
    refusal{"413", "the request is too long"},
    refusal{"415", "the body is not application/json"},
    refusal{"422", "understood, and refused"},
    refusal{"429", "too often; see Retry-After"},
    refusal{"431", "the headers are too long"},
    refusal{"500", "the store failed"},
    refusal{"503", "busy or stopping; see Retry-After"},
    refusal{"504", "the time for it ran out"},
};

/// How a page that asks nothing of the engine is refused.
json page_responses(json ok) {
  for (const auto& [status, text] : refusals)
    if (status == "401" || status == "403" || status == "405" || status >= "500")
      ok[std::string(status)] = described(body_of(reference("error")), text);
  return ok;
}

/// Every status that an op can end with.
json responses_of(json ok) {
  json all{{"200", described(body_of(std::move(ok)), "the answer")}};
  for (const auto& [status, text] : refusals)
    all[std::string(status)] = described(body_of(reference("error")), text);
  return all;
}

json post(std::string_view name, const protocol::op_spec& op) {
  const std::string base(op.name);
  json body = body_of(reference(base + "_request"));
  body["content"]["application/json"]["example"] = json::parse(op.example);
  return {{"post",
           {{"operationId", name},
            {"summary", op.summary},
            {"x-mneme-reads", is_read(op.name)},
            {"requestBody", std::move(body)},
            {"responses", responses_of(reference(base + "_answer"))}}}};
}

json parameter(std::string_view name, std::string_view in, json schema) {
  return {{"name", name}, {"in", in}, {"required", in == "path"}, {"schema", std::move(schema)}};
}

json get(std::string_view name, std::string_view summary, json parameters, json responses) {
  return {{"operationId", name},
          {"summary", summary},
          {"parameters", std::move(parameters)},
          {"responses", std::move(responses)}};
}

/// The keys of an op that a query string can hold, without `left_out`.
json query_parameters(const protocol::op_spec& op, std::string_view left_out) {
  using protocol::shape_kind;
  json list = json::array();
  for (const auto& key : op.keys) {
    const auto kind = key.value->kind;
    const bool is_plain =
        kind == shape_kind::text || kind == shape_kind::integer || kind == shape_kind::boolean;
    if (key.name != left_out && is_plain)
      list.push_back(parameter(key.name, "query", schema_of_key(op.name, key)));
  }
  return list;
}

/// `$defs` of JSON Schema are `components/schemas` here.
void repoint(json& value) {
  if (value.is_object() && value.contains("$ref")) {
    constexpr std::string_view old = "#/$defs/";
    const auto text = value["$ref"].get<std::string>();
    if (text.starts_with(old)) value["$ref"] = "#/components/schemas/" + text.substr(old.size());
  }
  if (value.is_structured())
    for (auto& member : value) repoint(member);
}

json schemas() {
  json all = answer_definitions();
  all["error"] = error_schema();
  json any = json::array();
  for (const auto& op : protocol::ops()) {
    const std::string name(op.name);
    json request = request_schema(op);
    request["properties"]["op"] = {{"const", name}};
    json named = request;
    named["required"].push_back("op");
    all[name + "_request"] = std::move(request);
    any.push_back(std::move(named));
    json answer = answer_schema(op);
    answer["properties"]["ok"] = {{"const", true}};
    answer["required"].push_back("ok");
    all[name + "_answer"] = std::move(answer);
  }
  all["request"] = {{"oneOf", std::move(any)}};
  all["answer"] = {{"type", "object"}, {"required", {"ok"}}};
  repoint(all);
  return all;
}

/// One message of JSON-RPC 2.0 each way; what may be in it is the Model Context Protocol's to say.
json mcp_operations() {
  const json message{{"type", "object"}, {"required", {"jsonrpc"}}};
  json ok = described(body_of(message), "the answer, as JSON or as events");
  ok["content"]["text/event-stream"]["schema"] = {{"type", "string"}};
  json responses{{"200", std::move(ok)}, {"202", {{"description", "a notification, taken"}}}};
  for (const auto& [status, text] : refusals)
    responses[std::string(status)] = described(body_of({{"type", "object"}}), text);
  responses["406"] = described(body_of({{"type", "object"}}), "Accept must name both types");
  json ended = responses;
  ended.erase("200");
  ended.erase("202");
  ended["204"] = {{"description", "the session is over"}};
  return {{"post",
           {{"operationId", "mcp"},
            {"summary", "the Model Context Protocol, streamable HTTP"},
            {"requestBody", body_of(message)},
            {"responses", std::move(responses)}}},
          {"delete",
           {{"operationId", "end_mcp"},
            {"summary", "ends the session that Mcp-Session-Id names"},
            {"responses", std::move(ended)}}}};
}

/// A stream of events, or one page where JSON is asked for.
json changes_operation() {
  const auto& op = *protocol::find_op("changes");
  json parameters = query_parameters(op, "");
  for (const auto& key : op.keys)
    if (key.value->kind == protocol::shape_kind::list)
      parameters.push_back(parameter(key.name, "query", schema_of_key(op.name, key)));
  json responses = responses_of(reference("changes_answer"));
  responses["200"]["content"]["text/event-stream"]["schema"] = {{"type", "string"}};
  return get("follow_changes", "what is committed, as server-sent events", std::move(parameters),
             std::move(responses));
}

json paths() {
  json all = json::object();
  const auto& retrieve = *protocol::find_op("retrieve");
  all["/v1/query"] = post("query", retrieve);
  all["/v1/op"] = {{"post",
                    {{"operationId", "op"},
                     {"summary", "any request of the line protocol, which names its op"},
                     {"requestBody", body_of(reference("request"))},
                     {"responses", responses_of(reference("answer"))}}}};
  for (const auto& op : protocol::ops()) all["/v1/" + std::string(op.name)] = post(op.name, op);

  const auto& get_op = *protocol::find_op("get");
  json id = query_parameters(get_op, "id");
  id.insert(id.begin(), parameter("id", "path", {{"type", "string"}}));
  all["/v1/memories/{id}"]["get"] =
      get("get_memory", get_op.summary, std::move(id), responses_of(reference("get_answer")));
  const auto& root = *protocol::find_op("root");
  all["/v1/root"]["get"] = get("get_root", root.summary, query_parameters(root, ""),
                               responses_of(reference("root_answer")));
  all["/v1/changes"]["get"] = changes_operation();
  const auto& prove = *protocol::find_op("prove");
  json proof = query_parameters(prove, "");
  proof.push_back(parameter("id", "query", {{"type", "array"}, {"items", {{"type", "string"}}}}));
  proof.push_back(parameter("seq", "query", {{"type", "array"}, {"items", {{"type", "integer"}}}}));
  all["/v1/proof"]["get"] =
      get("get_proof", prove.summary, std::move(proof), responses_of(reference("prove_answer")));
  json healthy{{"type", "object"},
               {"properties", {{"ok", {{"const", true}}}}},
               {"required", {"ok"}},
               {"additionalProperties", false}};
  all["/health"]["get"] =
      get("health", "200 while the server answers", json::array(),
          page_responses({{"200", described(body_of(std::move(healthy)), "it does")}}));
  json numbers{{"description", "Prometheus text"}};
  numbers["content"]["text/plain"]["schema"] = {{"type", "string"}};
  all["/metrics"]["get"] = get("metrics", "counts of the server and sizes of the world",
                               json::array(), page_responses({{"200", std::move(numbers)}}));
  all["/openapi.json"]["get"] =
      get("openapi", "this document", json::array(),
          page_responses({{"200", described(body_of({{"type", "object"}}), "OpenAPI 3.1")}}));
  all["/mcp"] = mcp_operations();
  return all;
}

} // namespace

const std::string& openapi_text() {
  static const std::string text = protocol::print(
      {{"openapi", "3.1.0"},
       {"info",
        {{"title", "mneme"},
         {"version", "1"},
         {"license", {{"name", "Apache License 2.0"}, {"identifier", "Apache-2.0"}}},
         {"description", "A memory engine for agents. Every answer has ok; see docs/SERVERS.md."}}},
       {"servers", json::array({{{"url", "/"}, {"description", "where this page is from"}}})},
       {"security",
        json::array({{{"key", json::array()}}, {{"bearer", json::array()}}, json::object()})},
       {"paths", paths()},
       {"components",
        {{"securitySchemes",
          {{"key", {{"type", "apiKey"}, {"in", "header"}, {"name", "X-API-Key"}}},
           {"bearer", {{"type", "http"}, {"scheme", "bearer"}}}}},
         {"schemas", schemas()}}}});
  return text;
}

} // namespace mneme::server
