// The table of ops: every example is answered, the answers have the keys that help promises, in the
// order of the specification.
// Of: tools/command/help_topics.cpp, tools/protocol/answer_json.cpp

#include "tools/protocol/op_table.hpp"

#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/command/help_topics.hpp"

using namespace mneme;
using protocol::json;

namespace {

engine example_world() {
  engine_options options;
  options.seed = 1;
  options.clock = std::make_shared<manual_clock>(timestamp{0});
  auto world = open_in_memory(std::move(options));
  REQUIRE(world.has_value());
  protocol::session session(*world);
  for (
      const char* line :
      {R"({"op":"write","id":"00000000000000000000000001","type":"Note","data":{"statement":"a"}})",
       R"({"op":"write","id":"00000000000000000000000002","type":"Note","data":{"statement":"b"}})",
       R"({"op":"write","id":"00000000000000000000000004","type":"Chunk","data":{"content":"b","path":"p"}})",
       R"({"op":"ingest","placement":"new_topic","topic_id":"00000000000000000000000003","title":"c"})",
       R"({"op":"add_edge","src":"00000000000000000000000001","type":"references","dst":"00000000000000000000000002"})",
       R"({"op":"compact","in_context":[],"load_bearing":[],"intent_id":"trip","step_id":"1"})",
       R"({"op":"assign_tag","tag":"tea","zone":"Core"})",
       R"({"op":"batch","items":[{"op":"assign_tag","tag":"leaf","zone":"Mid"},{"op":"assign_tag","tag":"cup","zone":"Mid"},{"op":"assign_tag","tag":"steam","zone":"Mid"},{"op":"assign_tag","tag":"rain","zone":"Mid"},{"op":"assign_tag","tag":"moss","zone":"Mid"},{"op":"assign_tag","tag":"clay","zone":"Mid"},{"op":"assign_tag","tag":"storm","zone":"Outer"}]})"})
    REQUIRE(json::parse(session.answer(line))["ok"] == true);
  return std::move(*world);
}

std::vector<std::string> keys_of(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

/// The keys are `promised` ("id changed seq via?") in order, optional ones possibly absent.
void check_keys(const std::vector<std::string>& keys, std::string_view promised) {
  std::size_t at = 0;
  while (!promised.empty()) {
    const auto space = promised.find(' ');
    std::string name(promised.substr(0, space));
    promised.remove_prefix(space == std::string_view::npos ? promised.size() : space + 1);
    const bool is_optional = name.back() == '?';
    if (is_optional) name.pop_back();
    if (at < keys.size() && keys[at] == name)
      ++at;
    else
      CHECK(is_optional);
  }
  CHECK(at == keys.size());
}

} // namespace

TEST_CASE("the ops are those of this build, each once") {
  std::set<std::string_view> names;
  for (const auto& op : protocol::ops()) CHECK(names.insert(op.name).second);
  CHECK(names
        == std::set<std::string_view>{"write",
                                      "update",
                                      "update_head",
                                      "tombstone",
                                      "restore",
                                      "put",
                                      "delete_by",
                                      "sweep",
                                      "list",
                                      "history",
                                      "namespaces",
                                      "actors",
                                      "add_edge",
                                      "remove_edge",
                                      "ingest",
                                      "revise",
                                      "forget",
                                      "forget_matching",
                                      "supersede_matching",
                                      "unarchive",
                                      "batch",
                                      "get",
                                      "resolve",
                                      "get_edge",
                                      "edges",
                                      "stale_of",
                                      "find",
                                      "find_many",
                                      "context",
                                      "compact",
                                      "load_compact",
                                      "attest",
                                      "tick",
                                      "search",
                                      "search_many",
                                      "retrieve",
                                      "retrieve_many",
                                      "clock",
                                      "root",
                                      "absent",
                                      "replay_receipt",
                                      "ingest_source",
                                      "promote",
                                      "snapshot",
                                      "prove",
                                      "verify",
                                      "journal",
                                      "changes",
                                      "checkpoint",
                                      "stats",
                                      "assign_tag",
                                      "chroma",
                                      "chroma_many",
                                      "decay",
                                      "erase",
                                      "trim",
                                      "point",
                                      "suggest_hashtags",
                                      "tags",
                                      "set_weights",
                                      "weights"});
}

TEST_CASE("every example is answered with the keys that help names") {
  for (const auto& op : protocol::ops()) {
    INFO(op.name);
    engine world = example_world();
    manual_clock clock(timestamp{0});
    const auto one_file = [](engine&, const protocol::source_request&) {
      return result<protocol::source_counts>({.files = 1, .added = 1, .left_out = {}});
    };
    protocol::session session(world, &clock, one_file);
    const json answer = json::parse(session.answer(op.example));
    INFO(answer.dump());
    REQUIRE(answer["ok"] == true);
    auto keys = keys_of(answer);
    REQUIRE(keys.front() == "ok");
    keys.erase(keys.begin());
    check_keys(keys, op.answer);
    CHECK(command::help_text(op.name).has_value());
  }
}

TEST_CASE("every op but the clock takes a deadline, of a millisecond at least") {
  for (const auto& op : protocol::ops()) {
    if (op.name == "clock") continue;
    INFO(op.name);
    engine world = example_world();
    manual_clock clock(timestamp{0});
    const auto no_file = [](engine&, const protocol::source_request&) {
      return result<protocol::source_counts>({.left_out = {}});
    };
    protocol::session session(world, &clock, no_file);
    json request = json::parse(op.example);
    request["deadline_ms"] = 0;
    const json refused = json::parse(session.answer(request.dump()));
    INFO(refused.dump());
    REQUIRE(refused["ok"] == false);
    CHECK(refused["error"]["code"] == "out_of_range");
    CHECK(refused["error"]["at"] == "deadline_ms");
    request["deadline_ms"] = 60'000;
    CHECK(json::parse(session.answer(request.dump()))["ok"] == true);
  }
}

TEST_CASE("an error answer has ok, code, message, at in this order") {
  engine world = example_world();
  protocol::session session(world);
  CHECK(
      session.answer(R"({"op":"get","id":"x"})")
      == R"({"ok":false,"error":{"code":"bad_id","message":"a ULID has 26 characters","at":"id"}})");
}

TEST_CASE("a memory has the members of the specification in its order") {
  engine world = example_world();
  protocol::session session(world);
  const json m =
      json::parse(session.answer(R"({"op":"get","id":"00000000000000000000000001"})"))["memory"];
  CHECK(keys_of(m)
        == std::vector<std::string>{
            "id", "uri", "type", "current_version", "actor_scope", "visibility",
            "declared_importance", "tags", "frames", "metadata", "lifecycle", "colour", "tombstone",
            "created_at", "last_updated_at", "embedding", "forms", "activation", "version"});
  CHECK(keys_of(m["version"])
        == std::vector<std::string>{"version", "data", "created_at", "created_by", "expires_at",
                                    "confidence", "provenance", "valid_from", "valid_until",
                                    "forms_override", "hash"});
  CHECK(keys_of(m["activation"])
        == std::vector<std::string>{"last_used", "access_count", "citations"});
  CHECK(m["created_at"] == "1970-01-01T00:00:00Z");
}

TEST_CASE("without a manual clock the op clock is unsupported") {
  engine world = example_world();
  protocol::session session(world);
  CHECK(json::parse(session.answer(R"({"op":"clock","now":0})"))["error"]["code"] == "unsupported");
}
