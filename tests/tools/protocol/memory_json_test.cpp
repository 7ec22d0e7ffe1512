// Of: tools/protocol/text_writer.cpp
// An answer has the members that were asked for, and what warns of a memory whatever was asked for.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/session.hpp"

using namespace mneme;
using protocol::json;
using namespace std::string_literals;

namespace {

engine world_of_three() {
  engine_options options;
  options.seed = 1;
  options.embedder_spec = "none"; // vectors are the callers'
  auto opened = open_in_memory(std::move(options));
  REQUIRE(opened);
  protocol::session s(*opened);
  for (const char* line :
       {R"({"op":"write","type":"Note","data":{"statement":"tea"},"vector":[1,0],"tags":["a"]})",
        R"({"op":"put","namespace":"n","key":"k","type":"Note","data":{"statement":"sea"},)"
        R"("vector":[0,1]})",
        R"({"op":"write","type":"Note","data":{"statement":"rumour"},"vector":[0.8,0.6],)"
        R"("trust":0.25})"}) {
    INFO(line);
    REQUIRE(json::parse(s.answer(line))["ok"] == true);
  }
  return std::move(*opened);
}

std::vector<std::string> members_of(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

} // namespace

TEST_CASE("select names the members of each memory, in the order that they always have") {
  engine e = world_of_three();
  protocol::session s(e);
  const json whole = json::parse(s.answer(
      R"({"op":"find","near_vector":[1,0],"limit":3,"now":"2200-01-01T00:00:00Z","order_by":[{"field":"near.distance"}]})"));
  const json some = json::parse(s.answer(
      R"({"op":"find","near_vector":[1,0],"limit":3,"now":"2200-01-01T00:00:00Z","order_by":[{"field":"near.distance"}],)"
      R"("select":["key","tags","id"]})"));
  REQUIRE(whole["memories"].size() == 3);
  CHECK(members_of(some["memories"][0]) == std::vector<std::string>{"id", "tags"});
  CHECK(members_of(some["memories"][1]) == std::vector<std::string>{"id", "tags", "trust"});
  CHECK(members_of(some["memories"][2]) == std::vector<std::string>{"id", "tags", "key"});
  for (std::size_t i = 0; i < 3; ++i)
    for (const auto& [key, value] : some["memories"][i].items())
      CHECK(value == whole["memories"][i][key]);
  for (const char* beside : {"scores", "distances", "at_seq", "near_mode"})
    CHECK(some[beside] == whole[beside]);
}

TEST_CASE("what was selected is so in lists, in ticks and among many questions") {
  engine e = world_of_three();
  protocol::session s(e);
  const std::string find =
      R"({"op":"find","types":["Note"],"limit":3,"now":"2200-01-01T00:00:00Z","select":["uri"]})";
  const json alone = json::parse(s.answer(find));
  REQUIRE(alone["memories"].size() == 3);
  CHECK(members_of(alone["memories"][0]).front() == "uri");
  CHECK_FALSE(alone["memories"][0].contains("id"));
  const json tick = json::parse(s.answer(R"({"op":"tick","reads":[)" + find + "]}"));
  CHECK(tick["reads"][0]["memories"] == alone["memories"]);
  const json many = json::parse(s.answer(R"({"op":"find_many","items":[)" + find + "]}"));
  CHECK(many["results"][0]["memories"] == alone["memories"]);
  const json list = json::parse(s.answer(R"({"op":"list","limit":1,"select":["type"]})"));
  CHECK(members_of(list["memories"][0]) == std::vector<std::string>{"type", "trust"});
}

TEST_CASE("the tags of a find are conditions beside its where") {
  engine e = world_of_three();
  protocol::session s(e);
  const auto found = [&s](const std::string& keys) {
    const json answer = json::parse(s.answer(
        R"({"op":"find","limit":9,"select":["id"],"now":"2200-01-01T00:00:00Z",)" + keys + "}"));
    INFO(answer.dump());
    REQUIRE(answer["ok"] == true);
    return answer["memories"];
  };
  const std::string text = R"("where":{"eq":["data.statement","tea"]})";
  CHECK(found(R"("tags":["a"])") == found(R"("where":{"has_tag":"a"})"));
  CHECK(found(R"("tags":["a"],)" + text).size() == 1);
  CHECK(found(R"("tags":["a","b"])").empty());
  CHECK(found(R"("tags":[],)" + text) == found(text));
  CHECK(json::parse(s.answer(R"({"op":"find","limit":1,"tags":"a"})"))["error"]["code"]
        == "wrong_type");
}

TEST_CASE("a list that selects nothing is of all") {
  engine e = world_of_three();
  protocol::session s(e);
  CHECK(json::parse(s.answer(R"({"op":"list","select":[]})"))
        == json::parse(s.answer(R"({"op":"list"})")));
}

TEST_CASE("a vector as text is the one of its numbers") {
  engine e = world_of_three();
  protocol::session s(e);
  // 0.8 and 0.6 as 32-bit floats: CD CC 4C 3F, 9A 99 19 3F.
  const json numbers = json::parse(s.answer(
      R"({"op":"find","near_vector":[0.8,0.6],"limit":3,"now":"2200-01-01T00:00:00Z","select":["id"]})"));
  const json text = json::parse(s.answer(
      R"({"op":"find","near_vector":"zcxMP5qZGT8=","limit":3,"now":"2200-01-01T00:00:00Z","select":["id"]})"));
  REQUIRE(numbers["ok"] == true);
  CHECK(text == numbers);
  const json written = json::parse(
      s.answer(R"({"op":"write","type":"Note","data":{"statement":"x"},"vector":"zcxMP5qZGT8="})"));
  REQUIRE(written["ok"] == true);
  const json found = json::parse(s.answer(
      R"({"op":"find","near_vector":[0.8,0.6],"limit":2,"now":"2200-01-01T00:00:00Z","select":["id"]})"));
  CHECK(found["distances"][0] == found["distances"][1]); // the rumour, and what has its vector
}

TEST_CASE("what is printed as it is made is what the values would be printed as") {
  engine e = world_of_three();
  protocol::session s(e);
  const std::string id = "01HZZZZZZZZZZZZZZZZZZZZZZ";
  const std::string odd = R"(a \"b\" \\ \n\t\u0007\u007f ü 海 😀)";
  for (
      const std::string& line :
      {R"({"op":"write","id":")" + id + R"(1","type":"Note","data":{"statement":")" + odd
           + R"("},"actor":"ü \"b\" 海","tags":["t","ü"],"metadata":{"a":[1,2.5,"x"],"b":true},)"
           + R"("frames":[{"verb":"find","kind":"service","ref":"r"}],"importance":9,)"
           + R"("lifecycle":{"status":"open"},"expires_at":"2026-01-01T00:00:00Z",)"
           + R"("valid_from":"2020-01-01T00:00:00Z","valid_until":"2021-01-01T00:00:00Z",)"
           + R"("confidence":0.1,"payload":"{}","forms":{"short":"s"},)"
           + R"("provenance":{"source":"imported","derived_from":["mneme://Note/01HZZZZZZZZZZZZZZZZZZZZZZ2#1"],"trust":0.5}})",
       R"({"op":"write","id":")" + id
           + R"(2","type":"Event","data":{"kind":"interaction","outcome":"success",)"
           + R"("summary":"tea was paid","cost":{"asset":"coin","amount":"3"},"artifacts":["cup"]}})",
       R"({"op":"write","id":")" + id + R"(3","type":"Note","data":{"statement":"newer"},)"
           + R"("supersedes":["mneme://Note/)" + id + R"(1#1"]})",
       R"({"op":"ingest","placement":"new_topic","title":"T","fields":{"depth":{"value":3}}})"s}) {
    const std::string answer = s.answer(line);
    INFO(answer);
    REQUIRE(json::parse(answer)["ok"] == true);
  }
  for (
      const char* find :
      {R"({"op":"find","limit":99,"include_tombstoned":true,"include_archived":true,"include_ended":true})",
       R"({"op":"find","limit":99,"include_tombstoned":true,"include_ended":true,"select":["key","version"]})",
       R"({"op":"find","limit":0})"}) {
    const std::string now = std::string(find).insert(1, R"("now":"2200-01-01T00:00:00Z",)");
    for (const std::string& line : {now, R"({"op":"find_many","items":[)" + now + "]}",
                                    R"({"op":"tick","reads":[)" + now + "]}"}) {
      INFO(line);
      const auto values = s.run(*protocol::parse_json(line));
      const auto refused = [&] { return protocol::error_json(values.error()); };
      CHECK(s.answer(line) == protocol::print(values ? protocol::ok_json(*values) : refused()));
    }
  }
  const json all = json::parse(s.answer(
      R"({"op":"find","limit":99,"include_tombstoned":true,"include_ended":true,"select":["id"]})"));
  CHECK(all["memories"].size() == 7);
}
