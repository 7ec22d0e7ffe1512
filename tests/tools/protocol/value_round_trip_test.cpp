// What a request brings is what an answer gives back, for every type and field of the schema.
// Of: tools/protocol/data_json.cpp, tools/protocol/part_json.cpp, tools/protocol/mutation_json.cpp
// Of: tools/protocol/answer_json.cpp

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "messages/validate/schema.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/session.hpp"

using namespace mneme;
using protocol::json;

namespace {

json sample_of(const field_schema& f) {
  switch (f.kind) {
  case field_kind::text:
    return "some text";
  case field_kind::name:
    return f.names.front();
  case field_kind::integer:
    return 7;
  case field_kind::real:
    return 0.25;
  case field_kind::boolean:
    return true;
  case field_kind::time:
    return "2024-01-31T10:00:00.000000001Z";
  case field_kind::id:
    return "01HZZZZZZZZZZZZZZZZZZZZZZ1";
  case field_kind::text_list:
    return json::array({"a", "b"});
  }
  return nullptr;
}

json sample_data(memory_type type) {
  json data = json::object();
  for (const auto& f : fields_of(type)) {
    const auto dot = f.name.find('.');
    if (dot == std::string_view::npos)
      data[f.name] = sample_of(f);
    else
      data[f.name.substr(0, dot)][f.name.substr(dot + 1)] =
          f.name == "cost.amount" ? json("4.20") : sample_of(f);
  }
  return data;
}

} // namespace

TEST_CASE("every field of every type comes back as it was given") {
  auto world = open_in_memory();
  REQUIRE(world.has_value());
  protocol::session session(*world);
  for (std::uint8_t t = 1; t <= memory_type_count; ++t) {
    const auto type = static_cast<memory_type>(t);
    const json data = sample_data(type);
    const json written = json::parse(
        session.answer(json{{"op", "write"}, {"type", to_string(type)}, {"data", data}}.dump()));
    INFO(written.dump());
    REQUIRE(written["ok"] == true);
    const json got = json::parse(session.answer(json{{"op", "get"}, {"id", written["id"]}}.dump()));
    CHECK(got["memory"]["version"]["data"] == data);
    CHECK(got["memory"]["type"] == to_string(type));
  }
}

TEST_CASE("heads, versions and edges come back as they were given") {
  auto world = open_in_memory();
  REQUIRE(world.has_value());
  protocol::session session(*world);
  const json request = json::parse(R"({"op":"write","type":"Note","data":{"statement":"x"},
    "id":"01HZZZZZZZZZZZZZZZZZZZZZZ1","actor":"ana","created_by":"ben","tags":["b","a"],
    "importance":0,"visibility":"scoped",
    "frames":[{"verb":"delegate","kind":"capability","ref":"r"}],
    "metadata":{"a.b":1,"c":[1,2.5,"x",false],"d":1.0},
    "lifecycle":{"status":"waiting","due_date":1000000000,"project":"p","origin":"mcp","atomic":true,"audience":"work"},
    "forms":{"medium":"mine"},"valid_from":"1999-01-01T00:00:00+01:00","valid_until":"2050-01-01T00:00:00Z",
    "expires_at":"2060-01-01T00:00:00Z","confidence":0.5,
    "provenance":{"source":"derived","derived_from":["mneme://Note/01HZZZZZZZZZZZZZZZZZZZZZZ2#1"],"attestations":["t"],"signed_by":"s","signed_at":"2020-01-01T00:00:00Z","sig":"g"}})");
  REQUIRE(json::parse(session.answer(request.dump()))["ok"] == true);
  const json m =
      json::parse(session.answer(R"({"op":"get","id":"01HZZZZZZZZZZZZZZZZZZZZZZ1"})"))["memory"];
  INFO(m.dump());
  CHECK(m["actor_scope"] == "ana");
  CHECK(m["declared_importance"] == 0);
  CHECK(m["visibility"] == "scoped");
  CHECK(m["tags"] == json::array({"a", "b"}));
  CHECK(m["frames"] == request["frames"]);
  CHECK(m["metadata"].dump() == R"({"a.b":1,"c":[1,2.5,"x",false],"d":1.0})");
  CHECK(m["lifecycle"]["due_date"] == "1970-01-01T00:00:01Z");
  CHECK(m["lifecycle"]["origin"] == "mcp");
  CHECK(m["forms"]["short"] == "x");
  CHECK(m["forms"]["medium"] == "mine");
  const json& v = m["version"];
  CHECK(v["created_by"] == "ben");
  CHECK(v["forms_override"] == json{{"short", false}, {"medium", true}});
  CHECK(v["valid_from"] == "1998-12-31T23:00:00Z");
  CHECK(v["valid_until"] == "2050-01-01T00:00:00Z");
  CHECK(v["confidence"] == 0.5);
  CHECK(v["provenance"] == request["provenance"]);
}

TEST_CASE("a journal's entries are rendered as long as they are in time") {
  const std::vector<journal_item> items(5);
  int looks = 0;
  const auto late = [&]() -> result<void> {
    if (++looks < 3) return {};
    return mneme::fail(errc::deadline_exceeded, "late", "deadline_ms");
  };
  const auto refused = protocol::journal_json(items, seq_no{0}, late);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::deadline_exceeded);
  CHECK(looks == 3);
  const auto whole = protocol::journal_json(items, seq_no{0}, [] { return result<void>(); });
  REQUIRE(whole);
  CHECK((*whole)["entries"].size() == 5);
}
