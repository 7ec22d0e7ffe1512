// How Mem0's paths, owners, filters and memories are those of the engine, without a server.
// Of: tools/server/clients/mem0/mem0_filter.cpp, tools/server/clients/mem0/mem0_memory.cpp
// Of: tools/server/clients/mem0/mem0_expiry.cpp, tools/server/clients/mem0/mem0_owners.cpp
// Of: tools/server/clients/mem0/mem0_routes.cpp

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/server/clients/mem0/mem0_filter.hpp"
#include "tools/server/clients/mem0/mem0_memory.hpp"
#include "tools/server/clients/mem0/mem0_owners.hpp"
#include "tools/server/clients/mem0/mem0_routes.hpp"

using namespace mneme;
using namespace mneme::server;
using namespace mneme::server::mem0;

namespace {

mem0_owners owners_named(std::string user, std::string run) {
  return {.names = {std::move(user), "", "", std::move(run)}};
}

mem0_filter filter_of(std::string_view text) {
  auto f = parse_mem0_filter(protocol::parse_json(text).value());
  REQUIRE(f.has_value());
  return std::move(*f);
}

bool is_refused(std::string_view text) {
  const auto f = parse_mem0_filter(protocol::parse_json(text).value());
  return !f && f.error().status == 400;
}

const json tea = protocol::parse_json(
                     R"({"id":"01","memory":"Tea at five","user_id":"ana","agent_id":null,)"
                     R"("run_id":"r1","role":"user","categories":[],)"
                     R"("metadata":{"topic":"Drinks","cups":2,"with":["milk","lemon"]},)"
                     R"("created_at":"2026-05-01T10:00:00Z","updated_at":"2026-05-02T10:00:00Z"})")
                     .value();

bool passes_tea(std::string_view text) {
  return passes(filter_of(text), tea);
}

} // namespace

TEST_CASE("a path of Mem0 is a page, hosted with a slash and self-hosted without") {
  const auto page = [](std::string_view path) {
    const auto route = mem0_route_of(path);
    return route ? std::optional(route->page) : std::nullopt;
  };
  CHECK(page("/v1/ping/") == mem0_page::ping);
  CHECK(page("/v3/memories/add/") == mem0_page::add);
  CHECK(page("/v2/memories/") == mem0_page::list);
  CHECK(page("/v1/memories/") == mem0_page::all);
  CHECK(page("/v1/memories/01/") == mem0_page::memory);
  CHECK(page("/v1/memories/01/history/") == mem0_page::history);
  CHECK(page("/memories") == mem0_page::memories);
  CHECK(page("/memories/01/history") == mem0_page::history);
  CHECK(mem0_route_of("/memories/01")->id == "01");
  // Our own stay ours.
  for (const char* own : {"/v1/memories/01", "/v1/search", "/v1/batch", "/v1/op", "/health", "/mcp",
                          "/v1/memories/01/more/", "/v2/entities/user/", "/", ""})
    CHECK_FALSE(page(own).has_value());
}

TEST_CASE("the name of an entity may hold slashes") {
  const auto route = mem0_route_of("/v2/entities/user/a/b/");
  REQUIRE(route.has_value());
  CHECK(route->page == mem0_page::entity);
  CHECK(route->kind == "user");
  CHECK(route->id == "a/b");
}

TEST_CASE("owners are a namespace, and back") {
  for (const auto& owners :
       {owners_named("ana", ""), owners_named("ana", "7"), owners_named("a/b=%2F é", "x y")}) {
    const auto name = mem0_namespace(owners);
    REQUIRE(name.has_value());
    CHECK(owners_of_namespace(*name) == owners);
  }
  CHECK(mem0_namespace(owners_named("ana", "7")) == "mem0/user=ana/run=7");
  for (const char* other : {"profiles", "mem0x", "mem0/", "mem0/user=", "mem0/user=%2", "mem0/x=1"})
    CHECK_FALSE(owners_of_namespace(other).has_value());
  CHECK_FALSE(mem0_namespace(owners_named(std::string(600, 'a'), "")).has_value());
}

TEST_CASE("a name of an owner is a tag where tags can hold it as it is") {
  CHECK(mem0_tag_of(mem0_kind::user, "ana") == "mem0:user:ana");
  CHECK_FALSE(mem0_tag_of(mem0_kind::user, "").has_value());
  CHECK_FALSE(mem0_tag_of(mem0_kind::user, "é").has_value());
  CHECK_FALSE(mem0_tag_of(mem0_kind::user, std::string(64, 'a')).has_value());
  CHECK(mem0_tags(owners_named("ana", "r")).size() == 3);
}

TEST_CASE("a filter of Mem0 passes what it says") {
  for (const char* yes : {"{}",
                          R"({"user_id":"ana"})",
                          R"({"user_id":"*"})",
                          R"({"agent_id":null})",
                          R"({"AND":[{"user_id":"ana"},{"run_id":"r1"}]})",
                          R"({"OR":[{"user_id":"b"},{"run_id":"r1"}]})",
                          R"({"NOT":[{"user_id":"b"}]})",
                          R"({"NOT":{"user_id":"b"}})",
                          R"({"agent_id":{"ne":"x"}})",
                          R"({"user_id":{"in":["b","ana"]}})",
                          R"({"user_id":["ana"]})",
                          R"({"user_id":{"nin":["b"]}})",
                          R"({"metadata":{"cups":2}})",
                          R"({"cups":{"gte":2,"lt":2.5}})",
                          R"({"metadata":{"with":{"contains":"milk"}}})",
                          R"({"with":{"icontains":"LEMON"}})",
                          R"({"memory":{"icontains":"TEA"}})",
                          R"({"topic":{"contains":"Drink"}})",
                          R"({"created_at":{"gte":"2026-05-01","lt":"2026-05-01T12:00:00+01:00"}})",
                          R"({"created_at":"2026-05-01T12:00:00+02:00"})",
                          R"({"with":{"in":["milk"]}})",
                          R"({"metadata":{"OR":[{"cups":9},{"topic":"Drinks"}]}})"})
    CHECK(passes_tea(yes));
  for (const char* no :
       {R"({"user_id":"b"})", R"({"agent_id":"*"})", R"({"user_id":{"ne":"*"}})", R"({"OR":[]})",
        R"({"NOT":[{"user_id":"ana"},{"run_id":"x"}]})", R"({"user_id":{"nin":["ana"]}})",
        R"({"user_id":"ana","run_id":"x"})", R"({"cups":"2"})", R"({"cups":{"gt":"1"}})",
        R"({"absent":{"gt":1}})", R"({"topic":{"contains":"drink"}})",
        R"({"created_at":{"lt":"some day"}})", R"({"user_id":{"in":[]}})"})
    CHECK_FALSE(passes_tea(no));
  for (const char* bad : {"[]", R"({"AND":3})", R"({"user_id":{"like":"a"}})", R"({"OR":["a"]})",
                          R"({"user_id":{"in":"ana"}})", R"({"metadata":{"a":{"b":{"c":1}}}})"})
    CHECK(is_refused(bad));
}

TEST_CASE("the engine is asked for at least what a filter passes, and knows when for just that") {
  const auto exact = [](std::string_view text) { return where_of(filter_of(text)).is_exact; };
  CHECK(where_of(filter_of(R"({"user_id":"ana"})")).where.dump()
        == R"({"and":[{"has_tag":"mem0:user:ana"}]})");
  CHECK(where_of(filter_of("{}")).where.dump() == R"({"has_tag":"mem0"})");
  CHECK(where_of(filter_of(R"({"NOT":[{"user_id":"b"}]})")).where.dump()
        == R"({"and":[{"and":[{"has_tag":"mem0"},{"not":{"or":[{"and":[{"has_tag":)"
           R"("mem0:user:b"}]}]}}]}]})");
  CHECK(exact(R"({"OR":[{"user_id":"a"},{"user_id":{"in":["b","c"]}}]})"));
  for (const char* more : {R"({"cups":2})", R"({"user_id":"*"})", R"({"user_id":"é"})",
                           R"({"NOT":[{"cups":2}]})", R"({"OR":[]})", R"({"user_id":{"ne":"b"}})"})
    CHECK_FALSE(exact(more));
  CHECK(tag_of(filter_of(R"({"AND":[{"cups":2},{"user_id":"ana"}]})")) == "mem0:user:ana");
  CHECK(tag_of(filter_of(R"({"OR":[{"user_id":"ana"},{"cups":2}]})")) == "mem0");
}

TEST_CASE("each message that says something is a memory of Mem0, word for word") {
  const auto said = mem0_messages(
      protocol::parse_json(
          R"({"user_id":7,"metadata":{"a":{"b":null}},"messages":[{"role":"system","content":"x"},)"
          R"({"role":"user","name":"Ana","content":" Tea! "},{"role":"assistant","content":""},)"
          R"({"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}]})")
          .value());
  REQUIRE(said.has_value());
  REQUIRE(said->size() == 2);
  CHECK(said->front().text == " Tea! ");
  CHECK(said->front().name == "Ana");
  CHECK(said->front().owners.names[0] == "7");
  CHECK(said->back().text == "one\ntwo");
  const json put = mem0_put(said->front(), "mem0/user=7", "k");
  CHECK(put["payload"] == R"({"metadata":{"a":{"b":null}},"role":"user","name":"Ana"})");
  CHECK(put["metadata"] == json::object());
  for (const char* bad :
       {R"({"messages":"tea"})", R"({"user_id":"a","messages":[]})",
        R"({"user_id":"","messages":"t"})",
        R"({"user_id":"a","messages":[{"role":"user","content":[{"type":"image_url"}]}]})",
        R"({"user_id":"a","messages":"t","metadata":[]})",
        R"({"user_id":"a","messages":"t","timestamp":"soon"})",
        R"({"user_id":"a","messages":"t","expiration_date":"1/2/2026"})"})
    CHECK_FALSE(mem0_messages(protocol::parse_json(bad).value()).has_value());
}

TEST_CASE("a memory of Mem0 holds to the end of the day that it expires on") {
  mem0_memory m;
  m.text = "tea";
  m.expiration_date = "2026-01-31";
  m.timestamp = "2026-01-01T00:00:00Z";
  const json put = mem0_put(m, "mem0/user=a", "k");
  CHECK(put["expires_at"] == "2026-02-01T00:00:00Z");
  CHECK(put["valid_from"] == "2026-01-01T00:00:00Z");
  CHECK(mem0_json(m)["created_at"] == "2026-01-01T00:00:00Z");
}

TEST_CASE("the history of a memory of Mem0 is its versions and its end, the oldest first") {
  const auto events = mem0_history(
      protocol::parse_json(
          R"({"id":"01","tombstone":{"at":"2026-01-03T00:00:00Z"},"versions":[)"
          R"({"data":{"statement":"b"},"created_at":"2026-01-02T00:00:00Z","payload":"{}"},)"
          R"({"data":{"statement":"a"},"created_at":"2026-01-01T00:00:00Z"}]})")
          .value(),
      owners_named("ana", ""));
  REQUIRE(events.size() == 3);
  CHECK(events[0]["event"] == "ADD");
  CHECK(events[1]["old_memory"] == "a");
  CHECK(events[1]["new_memory"] == "b");
  CHECK(events[2]["event"] == "DELETE");
  CHECK(events[2]["user_id"] == "ana");
}
