// The routes of Zep over an engine in memory, without HTTP.
// Of: tools/server/clients/zep/zep_wire.cpp, tools/server/clients/zep/zep_names.cpp

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <utility>

#include "tests/tools/server/clients/odd_values.hpp"
#include "tools/server/access/gateway.hpp"
#include "tools/server/clients/zep/zep_wire.hpp"

using namespace mneme;
using namespace mneme::server;

namespace {

/// The engine's door, at which somebody else may be ahead.
struct watched_door final : door {
  explicit watched_door(gateway& behind) : to(behind) {}
  using door::run;
  answer run(const client& who, std::string_view op, json request,
             const std::optional<error>& oversized) override {
    if (before && request["op"] == watched) std::exchange(before, nullptr)();
    return to.run(who, op, std::move(request), oversized);
  }

  gateway& to;
  std::string watched;
  std::function<void()> before; ///< once, when a request of this op comes
};

struct served_graph {
  engine target = engine::open({}).value();
  gateway to{target, ""};
  watched_door watched{to};
  zep::zep_wire wire{watched, ""};
  client who{};

  ~served_graph() { (void)target.close(); }

  std::pair<int, json> ask(std::string method, const std::string& path,
                           const json& body = nullptr) {
    http_request request;
    request.method = std::move(method);
    request.path = request.raw_path = "/api/v2/" + path;
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

TEST_CASE("who and what Zep knows by name is no memory that is found") {
  served_graph s;
  for (const char* name : {"ana", "bo"})
    CHECK(s.ask("POST", "users", {{"user_id", name}}).first == 200);
  CHECK(s.ask("POST", "threads", {{"thread_id", "t1"}, {"user_id", "ana"}}).first == 200);
  CHECK(s.ask("GET", "users-ordered").second["users"].size() == 2);
  CHECK(s.ask("GET", "users/ana/threads").second.size() == 1);
  CHECK(s.target.search({.query = "ana"})->results.empty());
  CHECK(s.target.find({.types = {memory_type::note}, .limit = 9})->memories.empty());
  CHECK(s.ask("DELETE", "users/ana").first == 200);
  CHECK(s.ask("GET", "threads").second["threads"].empty());
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

TEST_CASE("two changes of a user of Zep at once are both made") {
  served_graph s;
  CHECK(s.ask("POST", "users", {{"user_id", "ana"}}).first == 200);
  s.watched.watched = "put";
  s.watched.before = [&] {
    CHECK(s.ask("PATCH", "users/ana", {{"last_name", "Lima"}}).first == 200);
  };
  CHECK(s.ask("PATCH", "users/ana", {{"first_name", "Ana"}}).first == 200);
  const auto [status, ana] = s.ask("GET", "users/ana");
  CHECK(status == 200);
  CHECK(ana.value("first_name", "") == "Ana");
  CHECK(ana.value("last_name", "") == "Lima");
}

TEST_CASE("triples of Zep that come at once share the nodes that they name") {
  served_graph s;
  CHECK(s.ask("POST", "graph/create", {{"graph_id", "g"}}).first == 200);
  const json triple{{"graph_id", "g"},
                    {"fact", "Ana knows Bo"},
                    {"fact_name", "KNOWS"},
                    {"source_node_name", "Ana"},
                    {"target_node_name", "Bo"}};
  std::future<int> other;
  s.watched.watched = "batch";
  s.watched.before = [&] {
    other = std::async(std::launch::async,
                       [&] { return s.ask("POST", "graph/add-fact-triple", triple).first; });
    // Long enough for one that does not take a turn.
    CHECK(other.wait_for(std::chrono::milliseconds(300)) == std::future_status::timeout);
  };
  CHECK(s.ask("POST", "graph/add-fact-triple", triple).first == 200);
  CHECK(other.get() == 200);
  CHECK(s.ask("POST", "graph/edge/graph/g").second.size() == 2);
  CHECK(s.ask("POST", "graph/node/graph/g").second.size() == 2);
}

TEST_CASE("what Zep's routes refuse names the key") {
  served_graph s;
  CHECK(s.ask("POST", "users", {{"user_id", "ana"}}).first == 200);
  const auto refused = [&](std::string path, const json& body) {
    const auto [status, said] = s.ask("POST", std::move(path), body);
    CHECK(status == 400);
    return said.dump();
  };
  CHECK(refused("threads", {{"thread_id", "t"}}).contains("user_id is a text"));
  CHECK(refused("users", {{"user_id", "bo"}, {"first_name", 5}}).contains("first_name is a text"));
  json triple{{"user_id", "ana"},
              {"fact", "Ana rows"},
              {"fact_name", 5},
              {"source_node_name", "Ana"},
              {"target_node_name", "Bo"}};
  CHECK(refused("graph/add-fact-triple", triple).contains("fact_name is a text"));
  triple["fact_name"] = "ROWS";
  triple["valid_at"] = "2024-05-02T00:00:00Z";
  triple["invalid_at"] = "2024-05-01T00:00:00Z";
  CHECK(refused("graph/add-fact-triple", triple).contains("invalid_at is later than valid_at"));
}

TEST_CASE("a fact of Zep that names no node says which of its ends") {
  served_graph s;
  CHECK(s.ask("POST", "graph/create", {{"graph_id", "g"}}).first == 200);
  json triple{{"graph_id", "g"},
              {"fact", "Ana rows"},
              {"fact_name", "ROWS"},
              {"source_node_name", "Ana"},
              {"target_node_uuid", "01HZZZZZZZZZZZZZZZZZZZZZZ9"}};
  const auto said = [&] {
    const auto [status, body] = s.ask("POST", "graph/add-fact-triple", triple);
    return std::pair(status, body.dump());
  };
  CHECK(said().first == 404);
  CHECK(said().second.contains("target_node_uuid: the graph g has no node 01HZ"));
  triple.erase("target_node_uuid");
  CHECK(said().first == 400);
  CHECK(said().second.contains("target_node_name or target_node_uuid is missing"));
  CHECK(s.ask("POST", "graph/node/graph/g", json::object()).second.empty());
}

TEST_CASE("nothing odd that a client of Zep sends is more than refused") {
  served_graph s;
  CHECK(s.ask("POST", "users", {{"user_id", "ana"}}).first == 200);
  CHECK(s.ask("POST", "threads", {{"user_id", "ana"}, {"thread_id", "t"}}).first == 200);
  struct route {
    std::string method;
    std::string path;
    std::vector<std::string> keys;
  };
  const std::vector<route> routes = {
      {"POST", "users", {"user_id", "metadata"}},
      {"PATCH", "users/ana", {"user_id", "metadata"}},
      {"POST", "threads", {"user_id", "thread_id"}},
      {"POST", "graph/create", {"graph_id"}},
      {"POST", "threads/t/messages", {"messages"}},
      {"POST", "graph", {"graph_id", "data", "type", "created_at", "metadata"}},
      {"POST", "graph-batch", {"episodes"}},
      {"POST",
       "graph/add-fact-triple",
       {"fact", "fact_name", "valid_at", "invalid_at", "source_node_name", "source_node_uuid",
        "source_node_labels", "source_node_attributes"}},
      {"POST", "graph/search", {"query", "scope", "limit"}},
      {"POST", "graph/edge/user/ana", {"limit", "uuid_cursor"}}};
  for (const auto& [method, path, keys] : routes)
    for (const auto& key : keys)
      for (const auto& value : mneme::tests::odd_values()) {
        json body{{"user_id", "ana"},           {"data", "tea"},     {"query", "tea"},
                  {"fact", "tea is hot"},       {"fact_name", "IS"}, {"source_node_name", "tea"},
                  {"target_node_name", "heat"}, {"thread_id", "t"}};
        body[key] = value;
        const auto status = s.ask(method, path, body).first;
        CHECK((status == 200 || (status >= 400 && status < 500)));
      }
  CHECK(s.ask("GET", "users/ana").first == 200);
}
