// The routes of Zep over an engine in memory, without HTTP.
// Of: tools/server/clients/zep/zep_wire.cpp, tools/server/clients/zep/zep_names.cpp

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/server/access/gateway.hpp"
#include "tools/server/clients/zep/zep_wire.hpp"

using namespace mneme;
using namespace mneme::server;

namespace {

struct served_graph {
  engine target = engine::open({}).value();
  gateway to{target, ""};
  zep::zep_wire wire{to};
  client who{};

  ~served_graph() { (void)target.close(); }

  std::pair<int, json> ask(std::string method, const std::string& path,
                           const json& body = nullptr) {
    http_request request;
    request.method = std::move(method);
    request.path = "/api/v2/" + path;
    request.who = who;
    if (!body.is_null()) request.body = body.dump();
    const auto made = wire.handle(request);
    return {made.status, protocol::parse_json(made.body).value()};
  }
};

} // namespace

TEST_CASE("names of Zep's users and threads are of who asks") {
  served_graph s;
  for (const char* actor : {"one", "two"}) {
    s.who = {.actor = actor};
    CHECK(s.ask("GET", "users/ana").first == 404);
    CHECK(s.ask("POST", "users", {{"user_id", "ana"}}).first == 200);
    CHECK(s.ask("POST", "users", {{"user_id", "ana"}}).first == 409);
    CHECK(s.ask("POST", "graph", {{"user_id", "ana"}, {"type", "text"}, {"data", actor}}).first
          == 200);
    const auto [status, found] = s.ask("GET", "graph/episodes/user/ana");
    CHECK(status == 200);
    REQUIRE(found["episodes"].size() == 1);
    CHECK(found["episodes"][0]["content"] == actor);
  }
}

TEST_CASE("a fact of Zep may lead from a node to itself, and is one step with its nodes") {
  served_graph s;
  CHECK(s.ask("POST", "graph/create", {{"graph_id", "g"}}).first == 200);
  const json triple{{"graph_id", "g"},
                    {"fact", "Ana likes herself"},
                    {"fact_name", "LIKES"},
                    {"source_node_name", "Ana"},
                    {"target_node_name", "Ana"}};
  const auto [status, made] = s.ask("POST", "graph/add-fact-triple", triple);
  CHECK(status == 200);
  CHECK(made["edge"]["source_node_uuid"] == made["edge"]["target_node_uuid"]);
  json bad = triple;
  bad["target_node_name"] = "Bob";
  bad["fact"] = "";
  CHECK(s.ask("POST", "graph/add-fact-triple", bad).first == 400);
  CHECK(s.ask("POST", "graph/node/graph/g").second.size() == 1);
  CHECK(s.ask("DELETE", "graph/g").first == 200);
  CHECK(s.ask("GET", "graph/edge/" + made["edge"]["uuid"].get<std::string>()).first == 404);
}
