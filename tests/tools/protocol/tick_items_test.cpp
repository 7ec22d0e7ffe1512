// A tick's items are whole requests: what they answer inside is what they answer outside.
// Of: tools/protocol/tick_json.cpp, tools/protocol/many.cpp, tools/protocol/read_ops.cpp

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "mneme/tick.hpp"
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
  CHECK(topic["memory"]["events"].size() == 5); // created, and a field and a vector twice
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
    CHECK(inside["at"] == "reads[0]." + outside["at"].get<std::string>());
  }
}

TEST_CASE("an item that fails alone names its place in the request") {
  struct refused_item {
    const char* request;
    const char* list;
    const char* at;
  };
  constexpr refused_item items[] = {
      {R"({"op":"tick","reads":[{"op":"find","types":["Note"],"limit":0}]})", "reads",
       "reads[0].limit"},
      {R"({"op":"tick","reads":[{"op":"find","limit":"x"}]})", "reads", "reads[0].limit"},
      {R"({"op":"tick","reads":[{"op":"root"}]})", "reads", "reads[0].op"},
      {R"({"op":"tick","writes":[{"op":"write","type":"Note","data":{"statement":"x"},)"
       R"("importance":11}]})",
       "writes", "writes[0].importance"},
      {R"({"op":"tick","writes":[{"op":"attest","intent_id":"i","outcome":"success","cited":[]}]})",
       "writes", "writes[0].cited"},
      {R"({"op":"find_many","items":[{"types":["Note"],"limit":0}]})", "results", "items[0].limit"},
      {R"({"op":"search_many","items":[{"query":" "}]})", "results", "items[0].query"},
      {R"({"op":"retrieve_many","items":[{"q":"x","top_k":0}]})", "results", "items[0].top_k"},
  };
  engine e = world_with_topic();
  protocol::session s(e);
  for (const auto& item : items) {
    INFO(item.request);
    const json answer = json::parse(s.answer(item.request));
    REQUIRE(answer["ok"] == true);
    CHECK(answer[item.list][0]["error"]["at"] == item.at);
  }
  const json batch = json::parse(
      s.answer(R"({"op":"batch","items":[{"op":"write","type":"Note","data":{"statement":"x"},)"
               R"("importance":11}]})"));
  CHECK(batch["error"]["at"] == "items[0].importance");
}

TEST_CASE("a tick of too many items is refused before any of them is read") {
  engine e = world_with_topic();
  protocol::session s(e);
  for (const char* list : {"reads", "writes"}) {
    // Each would fail alone, and its error is longer than itself.
    const json tick{{"op", "tick"}, {list, std::vector<int>(max_tick_items + 1)}};
    const json answer = json::parse(s.answer(tick.dump()));
    CHECK(answer["error"]["code"] == "limit_exceeded");
    CHECK(answer["error"]["at"] == list);
  }
}

TEST_CASE("a read of a tick that waits for no seq, or is as of no time, fails alone") {
  engine e = world_with_topic();
  protocol::session s(e);
  const json tick = json::parse(
      s.answer(R"({"op":"tick","reads":[{"op":"find","types":["Note"],"limit":1,"at_least":"5"},)"
               R"({"op":"find","types":["Note"],"limit":1,"at":{"a":1}},)"
               R"({"op":"find","types":["Note"],"limit":1,"at_least":1}]})"));
  REQUIRE(tick["ok"] == true);
  CHECK(tick["reads"][0]["error"]["code"] == "wrong_type");
  CHECK(tick["reads"][0]["error"]["at"] == "reads[0].at_least");
  CHECK(tick["reads"][1]["error"]["at"] == "reads[1].at");
  CHECK(tick["reads"][2]["memories"].size() == 1);
}
