// A tick's items are whole requests: what they answer inside is what they answer outside.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/protocol/session.hpp"

using namespace mneme;
using protocol::json;

namespace {

engine world_with_topic() {
  engine_options options;
  options.seed = 1;
  auto opened = open_in_memory(std::move(options));
  REQUIRE(opened);
  protocol::session s(*opened);
  for (const char* line :
       {R"({"op":"ingest","placement":"new_topic","topic_id":"00000000000000000000000003",)"
        R"("title":"tea","fields":{"a":{"value":1}}})",
        R"({"op":"ingest","placement":"version_field","topic_id":"00000000000000000000000003",)"
        R"("fields":{"a":{"value":2}}})",
        R"({"op":"write","id":"00000000000000000000000004","type":"Note","actor":"ana",)"
        R"("data":{"statement":"x"}})"})
    REQUIRE(json::parse(s.answer(line))["ok"] == true);
  return std::move(*opened);
}

json answer_in_tick(protocol::session& s, const char* list, const json& item) {
  const json tick{{"op", "tick"}, {list, {item}}};
  return json::parse(s.answer(tick.dump()))[list][0];
}

constexpr const char* same_inside[] = {
    R"({"op":"get","id":"00000000000000000000000003"})",
    R"({"op":"get","id":"00000000000000000000000003","raw":true,"history":true,"events":true})",
    R"({"op":"get","id":"00000000000000000000000003","at_seq":1,"history":true})",
    R"({"op":"get","id":"00000000000000000000000004","raw":true})",
    R"({"op":"resolve","uri":"mneme://Topic/00000000000000000000000003#1"})",
    R"({"op":"resolve","uri":"mneme://Topic/00000000000000000000000003#1","events":true})",
    R"({"op":"edges","id":"00000000000000000000000003"})",
};

} // namespace

TEST_CASE("9 tick: get, resolve and edges answer what they answer outside") {
  engine e = world_with_topic();
  protocol::session s(e);
  for (const char* line : same_inside) {
    INFO(line);
    const json outside = json::parse(s.answer(line));
    CHECK(outside["ok"] == true);
    CHECK(answer_in_tick(s, "reads", json::parse(line)) == outside);
  }
  const json topic = answer_in_tick(s, "reads", json::parse(same_inside[1]));
  CHECK(topic["memory"]["fields"][0]["history"].size() == 2);
  CHECK(topic["memory"]["events"].size() == 3);
  CHECK(topic["raw"].is_string());
}

TEST_CASE("9 tick: get and resolve refuse what they refuse outside") {
  engine e = world_with_topic();
  protocol::session s(e);
  for (const char* line : {R"({"op":"get","id":"00000000000000000000000004","history":true})",
                           R"({"op":"get","id":"00000000000000000000000003","deadline_ms":0})",
                           R"({"op":"get","id":"00000000000000000000000009","events":true})"}) {
    INFO(line);
    const json outside = json::parse(s.answer(line))["error"];
    const json inside = answer_in_tick(s, "reads", json::parse(line))["error"];
    CHECK(inside["code"] == outside["code"]);
    CHECK(inside["message"] == outside["message"]);
  }
}
