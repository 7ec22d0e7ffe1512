// Memories and vectors of Generative Agents simulations: what a line says, what it becomes, and
// what is refused.
// Of: tools/import/agent_vectors.cpp

#include <filesystem>
#include <fstream>
#include <limits>

#include <catch2/catch.hpp>

#include "tests/storage/temporary_directory.hpp"
#include "tools/import/agent_memory.hpp"
#include "tools/import/agent_vectors.hpp"

using namespace mneme;
using namespace mneme::importing;

namespace {

constexpr const char* thought =
    R"({"scope":"Ada Moss","id":"node_3","n":3,"type":"thought","depth":1,)"
    R"("created":"2031-04-01T08:00:00","expiration":"2031-05-01T08:00:00","subject":"Ada Moss",)"
    R"("predicate":"like","object":"pears","text":"Ada Moss likes pears","poignancy":6,)"
    R"("keywords":["pears","Ada Moss","pears",""],"evidence":["node_1"],"dialogue":[],)"
    R"("embedding_key":"pears are liked"})";

error refusal(const std::string& line) {
  auto read = read_agent_memory(line);
  REQUIRE_FALSE(read);
  return read.error();
}

std::string floats(std::initializer_list<float> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(float)};
}

void put_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

} // namespace

TEST_CASE("a thought is a Belief of its persona") {
  const auto m = read_agent_memory(thought).value();
  import_report report;
  const auto r = to_request(m, "sim", {"mneme://Event/01HZZZZZZZZZZZZZZZZZZZZZZ1#1"}, report);
  CHECK(r.type == memory_type::belief);
  CHECK(std::get<std::string>(r.data.at("statement")) == "Ada Moss likes pears");
  CHECK(std::get<std::string>(r.data.at("subject")) == "Ada Moss");
  CHECK(std::get<std::string>(r.data.at("stance")) == "believe");
  CHECK(std::get<std::vector<std::string>>(r.data.at("evidence_for")).size() == 1);
  CHECK(r.actor == "Ada Moss");
  CHECK(r.importance == 6);
  CHECK(r.tags == std::vector<std::string>{"pears", "Ada Moss"});
  CHECK(report.left_out.at("empty keywords") == 1);
  CHECK(r.expires_at->ns - r.created_at->ns == 30LL * 86'400 * 1'000'000'000);
  CHECK(r.metadata.at("depth") == meta_value(std::int64_t{1}));
  CHECK(r.metadata.at("embedding_key") == meta_value(std::string("pears are liked")));
  CHECK(r.metadata.at("simulation") == meta_value(std::string("sim")));
}

TEST_CASE("an event is an observation; the persona's own conversation an interaction") {
  import_report report;
  auto m =
      read_agent_memory(
          R"({"scope":"A","id":"1","type":"event","created":"2031-04-01","text":"bed is idle"})")
          .value();
  auto r = to_request(m, "", {}, report);
  CHECK(r.type == memory_type::event);
  CHECK(std::get<std::string>(r.data.at("kind")) == "observation");
  CHECK(std::get<std::string>(r.data.at("summary")) == "bed is idle");
  CHECK(r.importance == 5);
  CHECK_FALSE(r.expires_at);
  CHECK(m.embedding_key == "bed is idle");
  m.subject = "A";
  m.predicate = "chat with";
  m.object = "B";
  r = to_request(m, "", {}, report);
  CHECK(std::get<std::string>(r.data.at("kind")) == "interaction");
  CHECK(std::get<std::string>(r.data.at("counterparty")) == "B");
  m.subject = "C";
  CHECK(std::get<std::string>(to_request(m, "", {}, report).data.at("kind")) == "observation");
}

TEST_CASE("a chat is a Note with its dialogue") {
  const auto m = read_agent_memory(R"({"scope":"A","id":"1","type":"chat","created":"2031-04-01",)"
                                   R"("predicate":"chat with","object":"B","text":"on pears",)"
                                   R"("dialogue":[["A","Pears?"],["B","Yes."]]})")
                     .value();
  import_report report;
  const auto r = to_request(m, "", {}, report);
  CHECK(r.type == memory_type::note);
  CHECK(std::get<std::string>(r.data.at("statement")) == "on pears\nA: Pears?\nB: Yes.");
  CHECK(std::get<std::string>(r.data.at("label")) == "chat with B");
}

TEST_CASE("keywords that are no tags are left out and counted") {
  auto m = read_agent_memory(thought).value();
  m.keywords.assign(1, std::string(65, 'k'));
  for (int i = 0; i < 18; ++i) m.keywords.push_back("k" + std::to_string(i));
  import_report report;
  CHECK(to_request(m, "", {}, report).tags.size() == 16);
  CHECK(report.left_out.at("keywords of over 64 bytes") == 1);
  CHECK(report.left_out.at("keywords beyond 16 of a memory") == 2);
}

TEST_CASE("ids of simulations, personas and times differ") {
  const auto m = read_agent_memory(thought).value();
  CHECK(agent_memory_id("a", m) == agent_memory_id("a", m));
  CHECK_FALSE(agent_memory_id("a", m) == agent_memory_id("b", m));
  auto moved = m;
  moved.scope = "Ada Mos";
  moved.id = "snode_3";
  CHECK_FALSE(agent_memory_id("a", m) == agent_memory_id("a", moved));
}

TEST_CASE("what a memory line lacks or has wrong is named") {
  CHECK(refusal("[]").code == errc::wrong_type);
  CHECK(refusal(R"({"id":"1","type":"event","created":"2031-04-01","text":"t"})").at == "scope");
  const std::string start = R"({"scope":"A","id":"1","created":"2031-04-01","text":"t",)";
  CHECK(refusal(start + R"("type":"dream"})").at == "type");
  CHECK(refusal(start + R"("type":"event","poignancy":11})").code == errc::out_of_range);
  CHECK(refusal(start + R"("type":"event","expiration":"soon"})").code == errc::bad_time);
  CHECK(refusal(start + R"("type":"chat","dialogue":[["A"]]})").at == "dialogue[0]");
  CHECK(refusal(start + R"("type":"chat","dialogue":["A"]})").code == errc::wrong_type);
  CHECK(refusal(start + R"("type":"event","keywords":[1]})").at == "keywords[0]");
}

TEST_CASE("vectors are found by persona and key") {
  const mneme::testing::temporary_directory dir;
  const std::string folder = dir.path();
  CHECK_FALSE(agent_vectors::read(folder).value());
  put_file(folder + "/vectors.bin", floats({1, 0, 0, 0.5F, 0, 0}));
  put_file(folder + "/vectors.keys.jsonl", "{\"scope\":\"A\",\"key\":\"x\",\"row\":1}\n"
                                           "{\"scope\":\"B\",\"key\":\"x\",\"row\":0}\n"
                                           "{\"scope\":\"B\",\"key\":\"z\",\"row\":2}\n");
  const auto v = agent_vectors::read(folder).value().value();
  CHECK(v.dim() == 2);
  CHECK(v.find("A", "x") == std::vector<float>{0, 0.5F});
  CHECK(v.find("B", "x") == std::vector<float>{1, 0});
  CHECK_FALSE(v.find("A", "y"));
  CHECK_FALSE(v.find("B", "z")); // zero: it has no direction
}

TEST_CASE("damaged vectors are refused by file and line") {
  const mneme::testing::temporary_directory dir;
  const std::string folder = dir.path();
  const std::string one = "{\"scope\":\"A\",\"key\":\"x\",\"row\":0}\n";
  const auto message = [&](const std::string& keys, const std::string& numbers) {
    put_file(folder + "/vectors.keys.jsonl", keys);
    put_file(folder + "/vectors.bin", numbers);
    auto read = agent_vectors::read(folder);
    REQUIRE_FALSE(read);
    return read.error().message;
  };
  using Catch::Contains;
  CHECK_THAT(message(one, "abc"), Contains("vectors.bin: 3 bytes are not 1 rows"));
  CHECK_THAT(message(one, ""), Contains("vectors.bin: 0 bytes"));
  CHECK_THAT(message(one + one, floats({1})), Contains("vectors.keys.jsonl:2: "));
  CHECK_THAT(message(one + "{\"scope\":\"A\"}\n", floats({1})), Contains("vectors.keys.jsonl:2: "));
  CHECK_THAT(message("{\"scope\":\"A\",\"key\":\"x\",\"row\":7}\n", floats({1})),
             Contains("rows up to 7 are named"));
  CHECK_THAT(message("{\"scope\":\"A\",\"key\":\"x\",\"row\":-1}\n", floats({1})),
             Contains("vectors.keys.jsonl:1: "));
  CHECK_THAT(message(one, floats({1, std::numeric_limits<float>::infinity()})),
             Contains("row 0 has a number that is not finite"));
  std::filesystem::remove(folder + "/vectors.bin");
  CHECK_FALSE(agent_vectors::read(folder));
}
