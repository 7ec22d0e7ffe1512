#include "tools/server/openapi.hpp"

#include <array>

#include <nlohmann/json.hpp>

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

/// Every status that an op can end with.
json responses_of(json ok) {
  json all{{"200", described(body_of(std::move(ok)), "the answer")}};
  constexpr std::array statuses = {
      std::pair{"400", "the request itself is wrong"},
      std::pair{"401", "no key, or one that is not known"},
      std::pair{"403", "the key does not allow it"},
      std::pair{"404", "not there, or not for this actor to see"},
      std::pair{"409", "in conflict with what is there"},
      std::pair{"413", "the request is too long"},
      std::pair{"422", "understood, and refused"},
      std::pair{"429", "too often; see Retry-After"},
      std::pair{"500", "the store failed"},
      std::pair{"503", "busy or stopping; see Retry-After"},
      std::pair{"504", "deadline_ms passed"},
  };
  for (const auto& [status, text] : statuses)
    all[status] = described(body_of(reference("error")), text);
  return all;
}

json post(std::string_view name, const protocol::op_spec& op) {
  const std::string base(op.name);
  json body = body_of(reference(base + "_request"));
  body["content"]["application/json"]["example"] = json::parse(op.example);
  return {{"post",
           {{"operationId", name},
            {"summary", op.summary},
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

json plain(std::string_view type, std::string_view text) {
  return {{"200",
           {{"description", text},
            {"content", {{std::string(type), {{"schema", {{"type", "string"}}}}}}}}}};
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
  const auto& prove = *protocol::find_op("prove");
  json proof = query_parameters(prove, "");
  proof.push_back(parameter("id", "query", {{"type", "array"}, {"items", {{"type", "string"}}}}));
  proof.push_back(parameter("seq", "query", {{"type", "array"}, {"items", {{"type", "integer"}}}}));
  all["/v1/proof"]["get"] =
      get("get_proof", prove.summary, std::move(proof), responses_of(reference("prove_answer")));
  all["/health"]["get"] =
      get("health", "200 while the server answers", json::array(),
          {{"200", described(body_of({{"type", "object"},
                                      {"properties", {{"ok", {{"const", true}}}}},
                                      {"required", {"ok"}},
                                      {"additionalProperties", false}}),
                             "it does")}});
  all["/metrics"]["get"] = get("metrics", "counts of the server and sizes of the world",
                               json::array(), plain("text/plain", "Prometheus text"));
  all["/openapi.json"]["get"] =
      get("openapi", "this document", json::array(), plain("application/json", "OpenAPI 3.1"));
  return all;
}

} // namespace

const std::string& openapi_text() {
  static const std::string text = protocol::print(
      {{"openapi", "3.1.0"},
       {"info",
        {{"title", "mneme"},
         {"version", "1"},
         {"description", "A memory engine for agents. Every answer has ok; see docs/SERVERS.md."}}},
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
