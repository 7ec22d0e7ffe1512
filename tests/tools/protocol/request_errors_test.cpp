// What is wrong with a request is named by code and path, in the order shape, values, the rest; and
// a request that is refused changes nothing.
// Of: tools/protocol/session.cpp, tools/protocol/shape.cpp, tools/protocol/json_path.cpp
// Of: tools/protocol/near_name.cpp, tools/protocol/value_reader.cpp
// Of: tools/protocol/predicate_json.cpp, tools/protocol/find_json.cpp
// Of: tools/protocol/mutation_json.cpp, tools/protocol/error_text.cpp

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "tools/protocol/session.hpp"

using namespace mneme;
using protocol::json;

namespace {

struct refused_line {
  const char* request;
  const char* code;
  const char* at;
};

constexpr refused_line refusals[] = {
    // The document itself.
    {"[]", "wrong_type", ""},
    {"5", "wrong_type", ""},
    {"{}", "missing_key", "op"},
    {R"({"op":null})", "missing_key", "op"},
    {R"({"op":["find"]})", "wrong_type", "op"},
    {R"({"op":"Find"})", "unknown_op", "op"},
    {R"({"op":"rebuild","ids":[]})", "unknown_op", "op"},
    // Agents: the order of checks of each.
    {R"({"op":"context","verb":"fly"})", "bad_value", "verb"},
    {R"({"op":"context","objects":{"boat":"x"}})", "bad_value", "objects.boat"},
    {R"({"op":"context","objects":{"service":5}})", "wrong_type", "objects.service"},
    {R"({"op":"context","query":" "})", "empty_query", "query"},
    {R"({"op":"context","query":5})", "wrong_type", "query"},
    {R"({"op":"context","vector":[1]})", "bad_value", "vector"},
    {R"({"op":"context","budget_tokens":0})", "out_of_range", "budget_tokens"},
    {R"({"op":"context","include_tiers":["all"]})", "bad_value", "include_tiers[0]"},
    {R"({"op":"attest","intent_id":" ","outcome":"maybe","cited":[]})", "missing_field",
     "intent_id"},
    {R"({"op":"attest","intent_id":"i","outcome":"maybe","cited":[]})", "empty_citations", "cited"},
    {R"({"op":"attest","intent_id":"i","outcome":"maybe","cited":["x"]})", "bad_value", "outcome"},
    {R"({"op":"attest","intent_id":"i","cited":["x"]})", "missing_key", "outcome"},
    {R"({"op":"compact","in_context":[],"load_bearing":[],"intent_id":"i","step_id":"s",)"
     R"("budget_tokens":0})",
     "out_of_range", "budget_tokens"},
    {R"({"op":"load_compact","intent_id":"i","step_id":"s"})", "not_found", "intent_id"},
    {R"({"op":"load_compact","intent_id":"i","step_id":"s","deadline_ms":0})", "out_of_range",
     "deadline_ms"},
    {R"({"op":"root","deadline_ms":0})", "out_of_range", "deadline_ms"},
    {R"({"op":"journal","deadline_ms":-1})", "out_of_range", "deadline_ms"},
    {R"({"op":"tick","reads":5})", "wrong_type", "reads"},
    {R"({"op":"find","types":["Note"],"limit":1,"scope":{"actor":"a"}})", "missing_key",
     "scope.snapshot_root"},
    // Shape in document order: what comes first is named.
    {R"({"op":"write","nope":1,"type":5})", "unknown_key", "nope"},
    {R"({"op":"write","type":5,"nope":1})", "wrong_type", "type"},
    {R"({"op":"write","type":"Note"})", "missing_key", "data"},
    {R"({"op":"write","data":{"statement":"x"}})", "missing_key", "type"},
    {R"({"op":"write","type":"Note","data":null})", "missing_key", "data"},
    {R"({"op":"write","type":"Note","data":[]})", "wrong_type", "data"},
    {R"({"op":"write","type":"Note","data":{"statment":"x"}})", "unknown_key", "data.statment"},
    {R"({"op":"write","data":{"statement":5},"type":"Note"})", "wrong_type", "data.statement"},
    {R"({"op":"write","type":"Event","data":{"cost":5}})", "wrong_type", "data.cost"},
    {R"({"op":"write","type":"Event","data":{"cost":{"asset":"E","n":1}}})", "unknown_key",
     "data.cost.n"},
    {R"({"op":"write","type":"Event","data":{"cost.asset":"E"}})", "unknown_key",
     "data.cost.asset"},
    {R"({"op":"write","type":"Event","data":{"duration":1.5}})", "wrong_type", "data.duration"},
    {R"({"op":"write","type":"Goal","data":{"success_criteria":["a",1]}})", "wrong_type",
     "data.success_criteria[1]"},
    {R"({"op":"write","type":"Goal","data":{"persistent":"yes"}})", "wrong_type",
     "data.persistent"},
    {R"({"op":"write","type":"Goal","data":{"horizon_end":1.5}})", "wrong_type",
     "data.horizon_end"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"tags":"t"})", "wrong_type", "tags"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"tags":["t",null]})", "wrong_type",
     "tags[1]"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"frames":[{"verb":"find"}]})",
     "missing_key", "frames[0].kind"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"frames":[{"verb":"find","kind":"service","ref":"x","y":1}]})",
     "unknown_key", "frames[0].y"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"metadata":{"a":{"b":1}}})",
     "wrong_type", "metadata.a"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"metadata":{"a":[1,[2]]}})",
     "wrong_type", "metadata.a[1]"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"lifecycle":{"state":"open"}})",
     "unknown_key", "lifecycle.state"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"provenance":{"source":1}})",
     "wrong_type", "provenance.source"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"vector":[1,"2"]})", "wrong_type",
     "vector[1]"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"vector":{"a":1}})", "wrong_type",
     "vector"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"vector":"AAAAAAA="})", "bad_value",
     "vector"}, // five bytes
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"vector":"tea"})", "bad_value",
     "vector"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"vector":"AADAfw=="})", "bad_vector",
     "vector"}, // not a number
    {R"({"op":"find","limit":1,"select":["id","statement"]})", "bad_value", "select[1]"},
    {R"({"op":"list","select":"id"})", "wrong_type", "select"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"hashtags":["a"]})", "bad_hashtags",
     "hashtags"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"mode":"Adaptive"})", "bad_value",
     "mode"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"importance":5.0})", "wrong_type",
     "importance"},
    {R"({"op":"get","id":"x","events":true})", "bad_id", "id"},
    {R"({"op":"find","limit":1,"scope":{}})", "missing_key", "scope.actor"},
    {R"({"op":"find","limit":"5"})", "wrong_type", "limit"},
    {R"({"op":"find","limit":5,"order_by":[{"dir":"asc"}]})", "missing_key", "order_by[0].field"},
    {R"({"op":"find","limit":5,"follow":{"hops":2}})", "unknown_key", "follow.hops"},
    {R"({"op":"find","limit":5,"where":[]})", "wrong_type", "where"},
    {R"({"op":"find","limit":5,"where":{"and":{}}})", "wrong_type", "where.and"},
    {R"({"op":"find","limit":5,"where":{"and":[{"eq":["a",1]},{"gt":5}]}})", "wrong_type",
     "where.and[1].gt"},
    {R"({"op":"find","limit":5,"where":{"not":{"xor":[]}}})", "unknown_key", "where.not.xor"},
    {R"({"op":"find","limit":5,"where":{"eq":["head.id",null]}})", "wrong_type", "where.eq[1]"},
    {R"({"op":"find","limit":5,"where":{"in":["head.id","x"]}})", "wrong_type", "where.in[1]"},
    {R"({"op":"find","limit":5,"where":{"in":["head.id",["x",{}]]}})", "wrong_type",
     "where.in[1][1]"},
    {R"({"op":"find","limit":5,"where":{"eq":["head.id"]}})", "bad_value", "where.eq"},
    {R"({"op":"find","limit":5,"where":{}})", "bad_value", "where"},
    {R"({"op":"find","limit":5,"where":{"eq":null}})", "bad_value", "where"},
    {R"({"op":"find","limit":5,"where":{"has_tag":"a","eq":["head.id",1]}})", "bad_value", "where"},
    {R"({"op":"batch"})", "missing_key", "items"},
    {R"({"op":"batch","items":[5]})", "wrong_type", "items[0]"},
    {R"({"op":"batch","items":[{"op":"root"}]})", "bad_value", "items[0].op"},
    {R"({"op":"batch","items":[{"op":"rooot"}]})", "unknown_op", "items[0].op"},
    {R"({"op":"batch","items":[{"op":"write","type":"Note","data":{"statement":5}}]})",
     "wrong_type", "items[0].data.statement"},
    {R"({"op":"prove"})", "missing_key", "ids"},
    {R"({"op":"prove","edges":[{"src":"x"}]})", "missing_key", "edges[0].type"},
    {R"({"op":"prove","fields":{}})", "wrong_type", "fields"},
    // The shape comes before the values, wherever they stand.
    {R"({"op":"write","id":"x","type":"Nothing","data":{},"nope":1})", "unknown_key", "nope"},
    {R"({"op":"get","at_seq":99999999999999999999,"id":5})", "wrong_type", "id"},
    // Values.
    {R"({"op":"get","at_seq":99999999999999999999,"id":"x"})", "out_of_range", "at_seq"},
    {R"({"op":"get","id":"x"})", "bad_id", "id"},
    {R"({"op":"get","id":"01HZZZZZZZZZZZZZZZZZZZZZZI"})", "bad_id", "id"},
    {R"({"op":"get","id":"80000000000000000000000000"})", "bad_id", "id"},
    {R"({"op":"get","id":"00000000000000000000000001","at_seq":-1})", "out_of_range", "at_seq"},
    {R"({"op":"get","id":"00000000000000000000000001","deadline_ms":0})", "out_of_range",
     "deadline_ms"},
    {R"({"op":"resolve","uri":"mneme://Note/00000000000000000000000001#1","deadline_ms":-1})",
     "out_of_range", "deadline_ms"},
    {R"({"op":"resolve","uri":"mneme://Note/00000000000000000000000001#0"})", "bad_uri", "uri"},
    {R"({"op":"resolve","uri":"mneme://Nota/00000000000000000000000001#1"})", "bad_uri", "uri"},
    {R"({"op":"write","type":"Nothing","data":{"a":1}})", "bad_value", "type"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"visibility":"public"})", "bad_value",
     "visibility"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"valid_from":"now"})", "bad_time",
     "valid_from"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"valid_from":-1})", "bad_time",
     "valid_from"},
    {R"({"op":"write","type":"Goal","data":{"statement":"x","status":"done"}})", "bad_value",
     "data.status"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"frames":[{"verb":"eat","kind":"service","ref":"x"}]})",
     "bad_value", "frames[0].verb"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"lifecycle":{"status":"done"}})",
     "bad_value", "lifecycle.status"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"importance":11})", "out_of_range",
     "importance"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"confidence":1.5})", "out_of_range",
     "confidence"},
    {R"({"op":"write","type":"Note","data":{"statement":" \n"}})", "missing_field",
     "data.statement"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"tags":[""]})", "limit_exceeded",
     "tags[0]"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"metadata":{"":1}})", "limit_exceeded",
     "metadata"},
    {R"({"op":"update_head","uri":"mneme://Note/00000000000000000000000001#1","metadata":{"":1}})",
     "limit_exceeded", "metadata"},
    {R"({"op":"write","type":"Event","data":{"kind":"payment","outcome":"success","cost":{"asset":"EUR"}}})",
     "missing_field", "data.cost.amount"},
    {R"({"op":"write","type":"Event","data":{"kind":"payment","outcome":"success","cost":{"amount":"1"}}})",
     "missing_field", "data.cost.asset"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"vector":[]})", "bad_vector",
     "vector"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"vector":[1e39]})", "bad_vector",
     "vector"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"vector":[1]})", "dim_mismatch",
     "vector"},
    {R"({"op":"write","type":"Note","data":{"statement":"x"},"valid_from":5,"valid_until":5})",
     "bad_interval", "valid_until"},
    {R"({"op":"update","uri":"x","data":{}})", "bad_uri", "uri"},
    {R"({"op":"update","uri":"mneme://Note/00000000000000000000000001#1","data":{"statement":"x"},"expect_version":0})",
     "out_of_range", "expect_version"},
    {R"({"op":"update_head","uri":"mneme://Note/00000000000000000000000001#1"})", "no_op", ""},
    {R"({"op":"tombstone","uri":"mneme://Note/00000000000000000000000001#1","cause":"erased"})",
     "bad_value", "cause"},
    {R"({"op":"add_edge","src":"00000000000000000000000001","type":"eats","dst":"00000000000000000000000002"})",
     "invalid_edge_type", "type"},
    {R"({"op":"add_edge","src":"00000000000000000000000001","type":"references","dst":"00000000000000000000000002","data":"a"})",
     "bad_value", "data"},
    {R"({"op":"edges","id":"00000000000000000000000001","types":["references","eats"]})",
     "invalid_edge_type", "types[1]"},
    {R"({"op":"edges","id":"00000000000000000000000001","direction":"up"})", "bad_value",
     "direction"},
    {R"({"op":"find","limit":5,"types":["Note","Nota"]})", "bad_value", "types[1]"},
    {R"({"op":"find","limit":5,"form":"long"})", "bad_value", "form"},
    {R"({"op":"find","limit":5,"rank":"best"})", "bad_value", "rank"},
    {R"({"op":"find","limit":5,"order_by":[{"field":"age"}]})", "bad_value", "order_by[0].field"},
    {R"({"op":"find","limit":5,"order_by":[{"field":"salience","dir":"up"}]})", "bad_value",
     "order_by[0].dir"},
    {R"({"op":"find","limit":5,"from":"x"})", "bad_id", "from"},
    {R"({"op":"find","limit":5,"from":"mneme://x"})", "bad_uri", "from"},
    {R"({"op":"find","limit":5,"follow":{"types":["eats"]}})", "invalid_edge_type",
     "follow.types[0]"},
    {R"({"op":"find"})", "unbounded", ""},
    {R"({"op":"journal","limit":0})", "out_of_range", "limit"},
    {R"({"op":"journal","from":-1})", "out_of_range", "from"},
    {R"({"op":"prove","seqs":[0]})", "out_of_range", "seqs[0]"},
    {R"({"op":"prove","seqs":[1],"deadline_ms":0})", "out_of_range", "deadline_ms"},
    {R"({"op":"prove","ids":["x"]})", "bad_id", "ids[0]"},
    {R"({"op":"prove","seqs":[1],"root":"00"})", "bad_value", "root"},
    {R"({"op":"prove","edges":[{"src":"x","type":"references","dst":"x"}]})", "bad_id",
     "edges[0].src"},
    {R"({"op":"prove","edges":[{"src":"00000000000000000000000001","type":"eats",)"
     R"("dst":"00000000000000000000000002"}]})",
     "invalid_edge_type", "edges[0].type"},
    // Existence.
    {R"({"op":"get","id":"00000000000000000000000009"})", "not_found", "id"},
    {R"({"op":"resolve","uri":"mneme://Fact/00000000000000000000000001#1"})", "not_found", "uri"},
};

engine small_world() {
  engine_options options;
  options.seed = 1;
  auto world = open_in_memory(std::move(options));
  REQUIRE(world.has_value());
  protocol::session session(*world);
  REQUIRE(
      json::parse(session.answer(
          R"({"op":"write","id":"00000000000000000000000001","type":"Note","data":{"statement":"a"}})"))
          ["ok"]
      == true);
  return std::move(*world);
}

} // namespace

TEST_CASE("every refusal names its code and its path and changes nothing") {
  engine world = small_world();
  protocol::session session(world);
  const digest before = world.root().value().overall;
  for (const auto& expected : refusals) {
    INFO(expected.request);
    const json answer = json::parse(session.answer(expected.request));
    INFO(answer.dump());
    CHECK(answer["ok"] == false);
    CHECK(answer["error"]["code"] == expected.code);
    CHECK(answer["error"].value("at", "") == expected.at);
    CHECK_FALSE(answer["error"]["message"].get<std::string>().empty());
  }
  CHECK(world.root().value().overall == before);
}

TEST_CASE("texts of queries are bounded") {
  engine world = small_world();
  protocol::session session(world);
  const auto refusal = [&](const json& request) {
    const json answer = json::parse(session.answer(request.dump()));
    if (answer["ok"] == true) return std::string();
    return answer["error"]["code"].get<std::string>() + " " + answer["error"].value("at", "");
  };
  const auto where = [&](const json& predicate) {
    return refusal({{"op", "find"}, {"types", {"Note"}}, {"limit", 1}, {"where", predicate}});
  };
  const std::string most(64U << 10, 'x');
  const std::string over = most + 'x';
  const std::string statement = "data.statement";
  const std::string value((1U << 20) - statement.size(), 'x');
  CHECK(where({{"eq", {statement, value}}}).empty());
  CHECK(where({{"eq", {statement, value + 'x'}}}) == "limit_exceeded where.eq");
  // Together, however they are spread.
  CHECK(where({{"in", {statement, std::vector<std::string>(16, most)}}})
        == "limit_exceeded where.in");
  CHECK(where({{"and", {{{"eq", {statement, value}}}, {{"not", {{"has_tag", "x"}}}}}}})
        == "limit_exceeded where.and[1].not.has_tag");
  CHECK(where({{"matches", {statement, most}}}).empty());
  CHECK(where({{"matches", {statement, over}}}) == "limit_exceeded where.matches");
  const std::string longest(1U << 20, 'x');
  const std::string longer = longest + 'x';
  const json near{{"op", "find"}, {"types", {"Note"}}, {"limit", 1}, {"near", longest}};
  CHECK(refusal(near).empty());
  json further = near;
  further["near"] = longer;
  CHECK(refusal(further) == "limit_exceeded near");
  CHECK(refusal({{"op", "search"}, {"query", longest}}).empty());
  CHECK(refusal({{"op", "search"}, {"query", longer}}) == "limit_exceeded query");
}

TEST_CASE("null is the same as absent") {
  engine world = small_world();
  protocol::session session(world);
  for (
      const char* request :
      {R"({"op":"write","type":"Fact","data":{"statement":"s","subject":"x","predicate":"p","object":null},"tags":null,"metadata":{"a":null},"lifecycle":{"status":null},"id":null})",
       R"({"op":"find","types":["Note"],"limit":5,"where":null,"near":null,"follow":null})",
       R"({"op":"find","types":["Note"],"limit":5,"where":{"has_tag":null,"eq":["head.type","Note"]}})",
       R"({"op":"root","at_seq":null})"}) {
    INFO(request);
    CHECK(json::parse(session.answer(request))["ok"] == true);
  }
  // But an unknown key is unknown, whatever it holds.
  CHECK(json::parse(session.answer(R"({"op":"root","seq":null})"))["error"]["code"]
        == "unknown_key");
}

TEST_CASE("a near name is suggested, a far one is not") {
  engine world = small_world();
  protocol::session session(world);
  CHECK_THAT(session.answer(R"({"op":"find","limti":5})"),
             Catch::Contains("did you mean \\\"limit\\\"?"));
  CHECK_THAT(session.answer(R"({"op":"find","zzzzzzzz":5})"), !Catch::Contains("did you mean"));
}

TEST_CASE("an error shows little of what is very long, in whole code points") {
  engine world = small_world();
  protocol::session session(world);
  std::string long_name;
  for (int i = 0; i < 50'000; ++i) long_name += "aé漢🙂";
  const json long_texts[] = {{{"op", long_name}},
                             {{"op", "find"}, {long_name, 1}},
                             {{"op", "find"}, {"types", {long_name}}, {"limit", 1}},
                             {{"op", "get"}, {"id", long_name}}};
  for (const auto& request : long_texts) {
    const std::string answer = session.answer(request.dump());
    CHECK(answer.size() < 2000);
    const json refused = json::parse(answer);
    REQUIRE(refused["ok"] == false);
    const auto message = refused["error"]["message"].get<std::string>();
    CHECK((message.size() < 200 || message.contains("…")));
  }
  // The end is kept, and what is not so long is shown whole.
  CHECK_THAT(session.answer(json{{"op", "find"}, {"types", {long_name}}, {"limit", 1}}.dump()),
             Catch::Contains("Tombstone") || Catch::Contains("types are"));
  const std::string name(900, 'x');
  CHECK_THAT(session.answer(json{{"op", "find"}, {name, 1}}.dump()),
             Catch::Contains("\"at\":\"" + name + "\""));
}

TEST_CASE("no line makes the session fail to answer") {
  engine world = small_world();
  protocol::session session(world);
  CHECK(rc::check([&](const std::string& line) {
    RC_ASSERT(json::parse(session.answer(line)).contains("ok"));
  }));
  // Requests with one value replaced by another JSON value.
  static const char* const values[] = {
      "null", "true", "-1",     "1.5",       "\"x\"",
      "[]",   "{}",   "[null]", "{\"a\":1}", "9223372036854775807"};
  CHECK(rc::check([&] {
    const auto& spec = refusals[*rc::gen::inRange<std::size_t>(0, std::size(refusals))];
    json request = json::parse(spec.request, nullptr, false);
    RC_PRE(request.is_object() && request.size() > 1);
    const auto member = *rc::gen::inRange<std::size_t>(0, request.size());
    auto it = request.begin();
    std::advance(it, static_cast<std::ptrdiff_t>(member));
    it.value() = json::parse(values[*rc::gen::inRange<std::size_t>(0, std::size(values))]);
    const json answer = json::parse(session.answer(request.dump()));
    RC_ASSERT(answer["ok"].is_boolean());
  }));
}
