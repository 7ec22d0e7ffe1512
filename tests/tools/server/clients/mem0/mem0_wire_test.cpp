// The routes of Mem0 over an engine in memory, without HTTP.
// Of: tools/server/clients/mem0/mem0_wire.cpp, tools/server/clients/engine_call.cpp

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/tools/server/clients/odd_values.hpp"
#include "tools/server/access/gateway.hpp"
#include "tools/server/clients/mem0/mem0_wire.hpp"

using namespace mneme;
using namespace mneme::server;

namespace {

struct served_engine {
  engine target = engine::open({}).value();
  gateway to{target, ""};
  mem0::mem0_wire wire{to};
  client who{};

  ~served_engine() { (void)target.close(); }

  std::pair<int, json> ask(std::string method, std::string path, const json& body = nullptr,
                           std::multimap<std::string, std::string> query = {}) {
    http_request request;
    request.method = std::move(method);
    request.path = std::move(path);
    request.query = std::move(query);
    request.headers.emplace("host", "here:1");
    request.who = who;
    if (!body.is_null()) request.body = body.dump();
    const auto made = wire.handle(request);
    return {made.status, protocol::parse_json(made.body).value()};
  }
  std::string add(std::string_view user, std::string_view text, json metadata = json::object()) {
    auto [status, body] = ask("POST", "/v3/memories/add/",
                              {{"user_id", user}, {"messages", text}, {"metadata", metadata}});
    REQUIRE(status == 200);
    return body["results"][0]["id"];
  }
  std::int64_t count(const json& filters) {
    return ask("POST", "/v3/memories/", {{"filters", filters}}).second["count"];
  }
};

} // namespace

TEST_CASE("pages of Mem0 are counted whether the engine filters or the mapping does") {
  served_engine s;
  for (int i = 0; i < 1'203; ++i)
    s.add(i % 3 == 0 ? "ana" : "a name that is too long to be a tag of any memory whatsoever",
          "number " + std::to_string(i), {{"n", i}});
  CHECK(s.count({{"user_id", "ana"}}) == 401);
  CHECK(s.count(json::object()) == 1'203);
  CHECK(s.count({{"user_id", {{"ne", "ana"}}}}) == 802);
  CHECK(s.count({{"n", {{"gte", 1'000}}}}) == 203);
  const auto [status, page] = s.ask("POST", "/v3/memories/", {{"filters", {{"n", {{"lt", 9}}}}}},
                                    {{"page", "2"}, {"page_size", "4"}});
  CHECK(status == 200);
  CHECK(page["count"] == 9);
  CHECK(page["results"][0]["memory"] == "number 4");
  CHECK(page["next"] == "http://here:1/v3/memories/?page=3&page_size=4");
  CHECK(page["previous"] == "http://here:1/v3/memories/?page=1&page_size=4");
  CHECK(s.ask("POST", "/v3/memories/", json::object(), {{"page", "0"}}).first == 400);
  // More than one request to the engine deletes.
  CHECK(s.ask("DELETE", "/v1/memories/", nullptr,
              {{"user_id", "a name that is too long to be a tag of any memory whatsoever"}})
            .first
        == 200);
  CHECK(s.count(json::object()) == 401);
}

TEST_CASE("metadata of Mem0 is found whether the engine has room for it or not") {
  served_engine s;
  json many = json::object();
  for (int i = 0; i < 90; ++i) many["k" + std::to_string(i)] = i;
  s.add("ana", "many keys", many);
  s.add("ana", "few", {{"k1", 1}, {"long", std::string(600, 'x')}, {"a.b", "dots"}, {"f", 2.0}});
  CHECK(s.count({{"k1", 1}}) == 2);
  CHECK(s.count({{"k1", 1.0}}) == 2);
  CHECK(s.count({{"k89", 89}}) == 1);
  CHECK(s.count({{"long", std::string(600, 'x')}}) == 1);
  CHECK(s.count({{"a.b", "dots"}}) == 1);
  CHECK(s.count({{"f", 2}}) == 1);
  CHECK(s.count({{"k1", "1"}}) == 0);
  CHECK(s.count({{"metadata", {{"AND", {{{"k1", 1}}, {{"long", {{"ne", "y"}}}}}}}}}) == 2);
  CHECK(s.count({{"NOT", {{{"k89", 89}}}}}) == 1);
}

TEST_CASE("a search of Mem0 looks on where a filter throws away what it finds") {
  served_engine s;
  for (int i = 0; i < 60; ++i) s.add("ana", "tea is served at " + std::to_string(i), {{"n", i}});
  const auto [status, found] =
      s.ask("POST", "/v3/memories/search/",
            {{"query", "when is tea served"}, {"top_k", 2}, {"filters", {{"n", {{"gte", 58}}}}}});
  CHECK(status == 200);
  CHECK(found["results"].size() == 2);
  CHECK(s.ask("POST", "/v3/memories/search/", {{"query", 3}}).first == 400);
  CHECK(s.ask("POST", "/v3/memories/search/", {{"query", "x"}, {"top_k", 0}}).first == 400);
}

TEST_CASE("nobody of Mem0 has the name that stands for any") {
  served_engine s;
  const auto [status, said] =
      s.ask("POST", "/v3/memories/add/", {{"user_id", "*"}, {"messages", "tea"}});
  CHECK(status == 400);
  CHECK(said.dump().contains("is no id"));
  CHECK(s.count(json::object()) == 0);
}

TEST_CASE("an owner of Mem0 that is any one deletes what has an owner of its kind; all four, all") {
  served_engine s;
  const auto add = [&](json owners, std::string_view topic) {
    owners["messages"] = "tea";
    owners["metadata"] = {{"topic", topic}};
    CHECK(s.ask("POST", "/v3/memories/add/", owners).first == 200);
  };
  const auto removed = [&](std::multimap<std::string, std::string> query) {
    return s.ask("DELETE", "/v1/memories/", nullptr, std::move(query)).first;
  };
  for (const char* user : {"ana", "bo"})
    for (const char* topic : {"drinks", "food"}) add({{"user_id", user}}, topic);
  add({{"agent_id", "cook"}}, "food");
  add({{"user_id", "ana"}, {"run_id", "7"}}, "food");
  CHECK(removed({{"user_id", "ana"}, {"metadata", R"({"topic":"drinks"})"}}) == 200);
  CHECK(s.count(json::object()) == 5);
  CHECK(removed({{"user_id", "ana"}, {"metadata", "drinks"}}) == 400);
  CHECK(removed({{"metadata", R"({"topic":"food"})"}}) == 400);
  CHECK(removed({{"user_id", "*"}, {"run_id", "*"}}) == 200);
  CHECK(s.count(json::object()) == 4);
  CHECK(removed({{"user_id", "*"}, {"org_id", "o"}, {"project_id", "p"}}) == 200);
  CHECK(s.count(json::object()) == 1);
  const std::multimap<std::string, std::string> all{
      {"user_id", "*"}, {"agent_id", "*"}, {"app_id", "*"}, {"run_id", "*"}};
  const std::vector<std::pair<std::string, std::string>> meant_to_narrow{
      {"metadata", ""},   {"metadata", "{}"}, {"user_id", ""},
      {"user_id", "ana"}, {"topic", "food"},  {"filters", "{}"}};
  for (const auto& [name, value] : meant_to_narrow) {
    auto query = all;
    query.emplace(name, value);
    INFO(name << "=" << value);
    CHECK(removed(query) == 400);
  }
  CHECK(s.count(json::object()) == 1);
  const auto written =
      s.to.run(s.who, "write", {{"type", "Note"}, {"data", {{"statement", "our own"}}}});
  REQUIRE(is_ok(written));
  CHECK(removed(all) == 200);
  CHECK(s.count(json::object()) == 0);
  CHECK(is_ok(s.to.run(s.who, "get", {{"id", written.body["id"]}})));
}

TEST_CASE("Mem0's clients see what was added by them alone") {
  served_engine s;
  const auto written =
      s.to.run(s.who, "write", {{"type", "Note"}, {"data", {{"statement", "our own"}}}});
  REQUIRE(is_ok(written));
  const auto id = written.body["id"].get<std::string>();
  CHECK(s.ask("GET", "/v1/memories/" + id + "/").first == 404);
  CHECK(s.ask("DELETE", "/v1/memories/" + id + "/").first == 404);
  CHECK(s.ask("GET", "/v1/memories/" + id + "/history/").first == 404);
  CHECK(s.count(json::object()) == 0);
  CHECK(s.ask("POST", "/v3/memories/add/", json{{"user_id", "a"}}).first == 400);
}

TEST_CASE("a key may do no more by Mem0's routes than by ours") {
  served_engine s;
  const auto id = s.add("ana", "tea");
  s.who = {.actor = "app", .read_only = true};
  CHECK(s.ask("GET", "/v1/memories/" + id + "/").first == 404);
  CHECK(s.ask("POST", "/v3/memories/add/", {{"user_id", "ana"}, {"messages", "x"}}).first == 403);
  CHECK(s.count(json::object()) == 0);
  s.who = {};
  CHECK(s.count(json::object()) == 1);
}

TEST_CASE("an update of Mem0 keeps what it does not say") {
  served_engine s;
  const auto id = s.add("ana", "tea at five", {{"topic", "tea"}});
  auto [status, m] = s.ask("PUT", "/v1/memories/" + id + "/", json{{"text", "tea at six"}});
  CHECK(status == 200);
  CHECK(m["memory"] == "tea at six");
  CHECK(m["metadata"] == json{{"topic", "tea"}});
  CHECK(s.ask("PUT", "/v1/memories/" + id + "/", json::object()).first == 400);
  CHECK(s.ask("PUT", "/v1/batch/", {{"memories", {{{"memory_id", id}, {"text", ""}}}}}).first
        == 400);
  const auto events = s.ask("GET", "/v1/memories/" + id + "/history/").second;
  CHECK(events.size() == 2);
}

TEST_CASE("nothing odd that a client of Mem0 sends is more than refused") {
  served_engine s;
  const auto id = s.add("ana", "tea", {{"topic", "tea"}});
  struct route {
    std::string method;
    std::string path;
    std::vector<std::string> keys;
  };
  const std::vector<route> routes = {
      {"POST",
       "/v3/memories/add/",
       {"messages", "user_id", "metadata", "timestamp", "expiration_date"}},
      {"POST",
       "/v3/memories/search/",
       {"query", "filters", "metadata", "top_k", "threshold", "show_expired", "user_id"}},
      {"POST", "/v3/memories/", {"filters", "start_date"}},
      {"PUT", "/v1/memories/" + id + "/", {"text", "data", "metadata", "timestamp"}},
      {"PUT", "/v1/batch/", {"memories"}},
      {"DELETE", "/v1/batch/", {"memories"}}};
  for (const auto& [method, path, keys] : routes)
    for (const auto& key : keys)
      for (const auto& value : mneme::tests::odd_values()) {
        json body{{"user_id", "ana"}, {"messages", "tea"}, {"query", "tea"}};
        body[key] = value;
        const auto status = s.ask(method, path, body).first;
        CHECK((status == 200 || (status >= 400 && status < 500)));
      }
  for (const char* text : {"[]", "3", "{", "{\"a\":1,\"a\":2}"}) {
    http_request request;
    request.method = "POST";
    request.path = "/v3/memories/";
    request.body = text;
    CHECK(s.wire.handle(request).status == 400);
  }
  CHECK(s.ask("GET", "/v1/memories/" + id + "/").first == 200);
}
