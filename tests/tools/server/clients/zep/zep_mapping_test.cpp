// How Zep's paths and records are those of the engine, without a server.
// Of: tools/server/clients/zep/zep_records.cpp, tools/server/clients/zep/zep_routes.cpp
// Of: tools/server/clients/drawn_names.cpp

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/server/clients/drawn_names.hpp"
#include "tools/server/clients/zep/zep_records.hpp"
#include "tools/server/clients/zep/zep_routes.hpp"

using namespace mneme;
using namespace mneme::server;
using namespace mneme::server::zep;

namespace {

const zep_graph anas{.kind = "user", .id = "ana"};

json parsed(std::string_view text) {
  return protocol::parse_json(text).value();
}

} // namespace

TEST_CASE("a path of Zep is a page, and an id") {
  const auto page = [](std::string_view path) {
    const auto route = zep_route_of(path);
    return route ? std::optional(route->page) : std::nullopt;
  };
  CHECK(page("/api/v2/users") == zep_page::users);
  CHECK(page("/api/v2/users/") == zep_page::users);
  CHECK(page("/api/v2/graph/search") == zep_page::search);
  CHECK(page("/api/v2/graph/town") == zep_page::graph);
  CHECK(page("/api/v2/graph/edge/user/ana") == zep_page::edges_of);
  CHECK(page("/api/v2/graph/edge/01") == zep_page::edge);
  CHECK(page("/api/v2/graph/node/01/entity-edges") == zep_page::node_edges);
  CHECK(zep_route_of("/api/v2/graph/node/graph/town")->kind == "graph");
  CHECK(zep_route_of("/api/v2/threads/t/messages")->id == "t");
  CHECK(zep_route_of("/api/v2/threads/a%2Fb%20%zz/messages")->id == "a/b %zz");
  for (const char* none : {"/api/v2/", "/api/v2", "/users", "/api/v2/users//threads", "/v1/search",
                           "/api/v2/users/a/b", "/api/v2/graph/edge/else/ana"})
    CHECK_FALSE(page(none).has_value());
}

TEST_CASE("data belongs to one graph of Zep: of a user, or by itself") {
  CHECK(graph_in(parsed(R"({"user_id":"ana"})"))->name() == "user:ana");
  CHECK(graph_in(parsed(R"({"graph_id":"town"})"))->name() == "graph:town");
  CHECK_FALSE(graph_in(parsed("{}")).has_value());
  CHECK_FALSE(graph_in(parsed(R"({"user_id":"a","graph_id":"b"})")).has_value());
  CHECK(tag_in(anas, edge_kind) == "zep:edge:user:ana");
  CHECK(tag_in({.kind = "user", .id = std::string(80, 'a')}, edge_kind) == "zep:edge");
  CHECK(tag_in({.kind = "user", .id = "é"}, node_kind) == "zep:node");
}

TEST_CASE("an episode of Zep is a Note, word for word") {
  const auto write =
      write_episode(anas, parsed(R"({"data":"{\"a\":1}","type":"json","metadata":{"x":{}},)"
                                 R"("created_at":"2024-05-01T10:00:00Z","user_id":"ana"})"));
  REQUIRE(write.has_value());
  CHECK((*write)["data"]["statement"] == R"({"a":1})");
  CHECK((*write)["valid_from"] == "2024-05-01T10:00:00Z");
  CHECK((*write)["metadata"] == parsed(R"({"zep_kind":"episode","zep_graph":"user:ana"})"));
  for (const char* bad : {R"({"type":"text"})", R"({"data":"","type":"text"})",
                          R"({"data":"x","type":"image"})", R"({"data":"x","created_at":"May"})"})
    CHECK_FALSE(write_episode(anas, parsed(bad)).has_value());
  CHECK_FALSE(write_message(anas, "t", parsed(R"({"content":"no role"})")).has_value());
  CHECK((*write_message(anas, "t",
                        parsed(R"({"role":"user","content":"x"})")))["metadata"]["zep_thread"]
        == "t");
}

TEST_CASE("what has ended in Zep has ended in the engine, from whenever it began") {
  const auto fact_of = [](std::string_view text) {
    json items = json::array();
    const node_end a{.uuid = "A", .name = "Ana", .summary = "", .labels = {}};
    const node_end b{.uuid = "B", .name = "Bob", .summary = "", .labels = {}};
    REQUIRE(add_fact(items, anas, parsed(text), "F", a, b).has_value());
    REQUIRE(items.size() == 3);
    CHECK(items[2] == parsed(R"({"op":"add_edge","src":"F","type":"references","dst":"B"})"));
    return items[0];
  };
  const auto ended = fact_of(R"({"fact":"f","fact_name":"N","invalid_at":"2024-01-01T00:00:00Z"})");
  CHECK(ended["valid_until"] == "2024-01-01T00:00:00Z");
  CHECK(ended["valid_from"] == "1970-01-01T00:00:00Z");
  CHECK_FALSE(fact_of(R"({"fact":"f","fact_name":"N"})").contains("valid_from"));
  json items = json::array();
  CHECK_FALSE(add_fact(items, anas, parsed(R"({"fact":"f"})"), "F", {}, {}).has_value());
  CHECK_FALSE(
      add_fact(items, anas, parsed(R"({"fact":"f","fact_name":"N","valid_at":"x"})"), "F", {}, {})
          .has_value());
}

TEST_CASE("a node of Zep is a topic, and its attributes are fields") {
  const auto end = end_in(parsed(R"({"source_node_name":"Ana","source_node_labels":["Person",3],)"
                                 R"("source_node_attributes":{"age":7,"none":null}})"),
                          "source");
  CHECK(end.labels == std::vector<std::string>{"Person"});
  node_end made = end;
  made.uuid = "01";
  json items = json::array();
  add_node(items, anas, made);
  REQUIRE(items.size() == 2);
  CHECK(items[0]["fields"] == parsed(R"({"age":{"value":7}})"));
  CHECK(items[1]["uri"] == "mneme://Topic/01#1");
}

TEST_CASE("drawn ids ascend with time, and differ") {
  const auto first = draw_id();
  CHECK(first != draw_id());
  CHECK(parse_memory_id(to_string(first)) == first);
  CHECK(first < next_id(first));
  memory_id full = first;
  full.bytes[15] = 0xFF;
  CHECK(full < next_id(full));
  CHECK(draw_key().size() == 32);
  CHECK(draw_key() != draw_key());
}
