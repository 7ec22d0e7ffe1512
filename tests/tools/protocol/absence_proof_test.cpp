// What absent says of ids and fields is held to its proofs, whatever is changed in it.
#include "tools/protocol/absence_proof.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "mneme/engine.hpp"
#include "tools/protocol/session.hpp"

using namespace mneme;
using protocol::json;

namespace {

constexpr const char* note = "01HZZZZZZZZZZZZZZZZZZZZZZ1";
constexpr const char* topic = "01HZZZZZZZZZZZZZZZZZZZZZZ2";
constexpr const char* nothing = "01HZZZZZZZZZZZZZZZZZZZZZZ9";

class asked_world {
public:
  asked_world() : target_(std::move(*open_in_memory({}))) {
    ask({{"op", "write"}, {"id", note}, {"type", "Note"}, {"data", {{"statement", "tea"}}}});
    ask({{"op", "ingest"},
         {"placement", "new_topic"},
         {"topic_id", topic},
         {"title", "Ana"},
         {"fields", {{"city", {{"value", "Porto"}}}}}});
  }
  json ask(const json& request) {
    protocol::session session(target_);
    json answer = json::parse(session.answer(request.dump()));
    INFO(answer.dump());
    REQUIRE(answer["ok"] == true);
    return answer;
  }

private:
  engine target_;
};

/// How reading an answer fails; ok where it does not.
std::string refusal_of(const json& answer) {
  const auto read = protocol::read_proven(answer);
  return read ? "ok" : std::string(to_string(read.error().code));
}

} // namespace

TEST_CASE("absence: what is claimed of ids and fields is what the proofs are of") {
  asked_world w;
  const json gone = w.ask(
      {{"op", "absent"}, {"ids", {nothing}}, {"fields", {{{"topic", topic}, {"name", "street"}}}}});
  REQUIRE(gone["absent"] == true);
  CHECK(refusal_of(gone) == "ok");
  CHECK(protocol::proven_items(*protocol::read_proven(gone))
        == std::vector<std::string>{std::string(nothing) + " is absent",
                                    std::string("field \"street\" of ") + topic + " is absent"});
  const auto changed = [&](auto change) {
    json other = gone;
    change(other);
    return refusal_of(other);
  };
  CHECK(changed([](json& a) { a["ids"][0]["id"] = note; }) == "proof_mismatch");
  CHECK(changed([](json& a) { a["ids"][0]["present"] = true; }) == "proof_mismatch");
  CHECK(changed([](json& a) { a["ids"] = json::array(); }) == "proof_mismatch");
  CHECK(changed([](json& a) { a.erase("fields"); }) == "proof_mismatch");
  CHECK(changed([](json& a) { a["fields"][0]["name"] = "city"; }) == "proof_mismatch");
  CHECK(changed([](json& a) { a["fields"][0]["topic"] = note; }) == "proof_mismatch");
  CHECK(changed([](json& a) { a["absent"] = false; }) == "proof_mismatch");
  CHECK(changed([](json& a) { a["seq"] = 1; }) == "proof_mismatch");
  CHECK(changed([](json& a) { a["root"] = std::string(64, '0'); }) == "proof_mismatch");
  CHECK(changed([](json& a) { a["absent"] = "yes"; }) == "bad_value");
  CHECK(changed([](json& a) { a["ids"] = 1; }) == "wrong_type");
  CHECK(changed([](json& a) { a["ids"][0] = 1; }) == "bad_value");
  CHECK(changed([](json& a) { a["ids"][0]["id"] = "x"; }) == "bad_value");
  CHECK(changed([](json& a) { a.erase("proof"); }) == "missing_key");
}

TEST_CASE("absence: one that is there, and a question beside") {
  asked_world w;
  json there = w.ask({{"op", "absent"}, {"ids", {nothing, note}}});
  REQUIRE(there["absent"] == false);
  CHECK(refusal_of(there) == "ok");
  there["absent"] = true;
  CHECK(refusal_of(there) == "proof_mismatch");
  json said = w.ask({{"op", "absent"}, {"ids", {nothing}}, {"query", "tea"}});
  REQUIRE(said["absent"] == false); // by the question, which is under no proof
  CHECK(refusal_of(said) == "ok");
  const json proof = w.ask({{"op", "prove"}, {"ids", {note}}});
  CHECK(protocol::proven_items(*protocol::read_proven(proof))
        == std::vector<std::string>{std::string(note) + " is present"});
}
