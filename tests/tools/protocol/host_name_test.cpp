// "" is the host's name: a request with "actor":"" is answered what one without an actor is.
// Of: tools/protocol/session.cpp

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/protocol/session.hpp"

using namespace mneme;
using protocol::json;

namespace {

/// Two agents with memories of their own, and a record of a compaction.
engine world_of_agents() {
  engine_options options;
  options.seed = 1;
  options.clock = std::make_shared<manual_clock>(timestamp{1'700'000'000'000'000'000});
  auto opened = open_in_memory(std::move(options));
  REQUIRE(opened);
  protocol::session s(*opened);
  for (const char* line :
       {R"({"op":"write","id":"00000000000000000000000001","type":"Goal","actor":"ana",)"
        R"("frames":[{"verb":"find","kind":"service","ref":"kitchen"}],)"
        R"("data":{"statement":"serve tea","status":"active"}})",
        R"({"op":"write","id":"00000000000000000000000002","type":"Note","actor":"ben",)"
        R"("data":{"statement":"serve coffee"}})",
        R"({"op":"add_edge","src":"00000000000000000000000001","type":"related_to",)"
        R"("dst":"00000000000000000000000002"})",
        R"({"op":"ingest","placement":"new_topic","topic_id":"00000000000000000000000003",)"
        R"("title":"tea","actor":"ana","fields":{"a":{"value":1}}})",
        R"({"op":"compact","intent_id":"i","step_id":"s","actor":"ana","load_bearing":[],)"
        R"("in_context":["mneme://Goal/00000000000000000000000001#1"]})"}) {
    const json answer = json::parse(s.answer(line));
    INFO(answer.dump());
    REQUIRE(answer["ok"] == true);
  }
  return std::move(*opened);
}

/// Each may stand in a tick.
constexpr const char* reads[] = {
    R"({"op":"find","types":["Note","Goal"],"limit":9})",
    R"({"op":"find","from":"00000000000000000000000001","follow":{"max_hops":1},"limit":9})",
    R"({"op":"search","query":"serve","similarity_floor":0})",
    R"({"op":"search","memory_ids":["00000000000000000000000002"]})",
    R"({"op":"retrieve","q":"tea","touch":false})",
    R"({"op":"context","verb":"find","objects":{"service":"kitchen"}})",
    R"({"op":"get","id":"00000000000000000000000001"})",
    R"({"op":"resolve","uri":"mneme://Note/00000000000000000000000002#1"})",
    R"({"op":"edges","id":"00000000000000000000000001"})",
};
constexpr const char* other_reads[] = {
    (R"({"op":"get_edge","src":"00000000000000000000000001","type":"related_to",)"
     R"("dst":"00000000000000000000000002"})"),
    R"({"op":"prove","ids":["00000000000000000000000001"]})",
    R"({"op":"load_compact","intent_id":"i","step_id":"s"})",
};

} // namespace

TEST_CASE("43: the actor \"\" is the host, in every read and in ticks") {
  engine e = world_of_agents();
  protocol::session s(e);
  const auto named = [](const char* line, const char* actor) {
    json request = json::parse(line);
    request["actor"] = actor;
    return request;
  };
  const auto check = [&](const char* line) {
    const json without = json::parse(s.answer(line));
    INFO(without.dump());
    CHECK(without["ok"] == true);
    CHECK(json::parse(s.answer(named(line, "").dump())) == without);
    CHECK(json::parse(s.answer(named(line, "nobody").dump())) != without);
  };
  for (const char* line : other_reads) {
    INFO(line);
    check(line);
  }
  for (const char* line : reads) {
    INFO(line);
    check(line);
    const json tick{{"op", "tick"}, {"reads", {json::parse(line), named(line, "")}}};
    const json inside = json::parse(s.answer(tick.dump()));
    CHECK(inside["reads"][0]["ok"] == true);
    CHECK(inside["reads"][0] == inside["reads"][1]);
  }
}

TEST_CASE("43: a C++ caller's actor \"\" is the host") {
  engine e = world_of_agents();
  const auto id = parse_memory_id("00000000000000000000000001");
  REQUIRE(id);
  CHECK(e.get(*id, {.actor = "", .at_seq = {}}));
  CHECK_FALSE(e.get(*id, {.actor = "nobody", .at_seq = {}}));
  find_request r;
  r.types = {memory_type::note};
  r.limit = 9;
  r.actor = "";
  auto found = e.find(r);
  REQUIRE(found);
  CHECK(found->memories.size() == 1);
}
