// libmneme.so through its C header: what good and bad callers get, from one thread and from many.
// Of: tools/library/c_interface.cpp, tools/library/call_queue.cpp, tools/library/open_options.cpp
// Of: tools/library/array_tick.cpp, tools/server/access/vacant_directory.cpp
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "mneme/mneme.h"

using nlohmann::json;

namespace {

/// What an answer says; it is freed.
json taken(mneme_answer* answer, int format = MNEME_JSON) {
  std::size_t size = 0;
  const char* bytes = mneme_answer_bytes(answer, &size);
  const std::string text(bytes, size);
  json value = format == MNEME_JSON ? json::parse(text) : json::from_msgpack(text);
  CHECK(value["ok"] == (mneme_answer_ok(answer) == 1));
  mneme_answer_free(answer);
  return value;
}

json opened(const json& options, mneme_engine*& engine) {
  const std::string text = options.dump();
  return taken(mneme_open(text.data(), text.size(), MNEME_JSON, &engine));
}

/// A world in memory with a seed, closed with the test.
struct small_world {
  mneme_engine* engine = nullptr;

  explicit small_world(json options = {{"in_memory", true}, {"seed", 7}}) {
    const json answer = opened(options, engine);
    INFO(answer.dump());
    REQUIRE(engine != nullptr);
  }
  small_world(const small_world&) = delete;
  small_world& operator=(const small_world&) = delete;
  ~small_world() { mneme_free(engine); }

  json call(const char* op, const json& request) const {
    const std::string text = request.dump();
    return taken(mneme_call(engine, op, text.data(), text.size(), MNEME_JSON));
  }
  json call_packed(const char* op, const std::string& bytes) const {
    return taken(mneme_call(engine, op, bytes.data(), bytes.size(), MNEME_MESSAGEPACK),
                 MNEME_MESSAGEPACK);
  }
  json call_packed(const char* op, const json& request) const {
    std::string bytes;
    json::to_msgpack(request, bytes);
    return call_packed(op, bytes);
  }
};

std::string code_of(const json& answer) {
  return answer["ok"] == true ? "ok" : answer["error"]["code"].get<std::string>();
}

json note(const std::string& text) {
  return {{"type", "Note"}, {"data", {{"statement", text}}}};
}

} // namespace

TEST_CASE("what a host says of a world that it opens is judged before anything is made") {
  const auto refused = [](const json& options) {
    mneme_engine* engine = nullptr;
    const json answer = opened(options, engine);
    CHECK(engine == nullptr);
    return code_of(answer) + " at " + answer["error"].value("at", "");
  };
  CHECK(refused(json::object()) == "missing_key at directory");
  CHECK(refused({{"directory", ""}}) == "bad_value at directory");
  CHECK(refused({{"directory", "x"}, {"in_memory", true}}) == "bad_value at in_memory");
  CHECK(refused({{"in_memory", true}, {"sead", 1}}) == "unknown_key at sead");
  CHECK(refused({{"in_memory", 1}}) == "wrong_type at in_memory");
  CHECK(refused({{"in_memory", true}, {"readers", 0}}) == "out_of_range at readers");
  // Also where somebody else has the world open, who retains what he retains.
  CHECK(refused({{"in_memory", true}, {"retained_seqs", 999}}) == "out_of_range at retained_seqs");
  CHECK(refused({{"directory", "x"}, {"retained_seqs", 0}}) == "out_of_range at retained_seqs");
  CHECK(refused({{"in_memory", true}, {"embedder", "nonsense"}}) == "bad_value at embedder");
  CHECK(refused({{"in_memory", true}, {"audience", "nobody"}}) == "bad_value at audience");
  CHECK(refused({{"in_memory", true}, {"log", "postgresql://h/d#l"}}) == "bad_value at log");
  CHECK(refused({{"in_memory", true}, {"follow", true}}) == "bad_value at follow");
  CHECK(refused({{"directory", "x"}, {"may_lead", true}}) == "bad_value at may_lead");
  CHECK(refused({{"directory", "x"}, {"follow", true}, {"shared", true}}) == "bad_value at shared");
  CHECK(refused({{"directory", "x"}, {"log", "postgresql://me:secret@h/d"}}) == "bad_value at log");
  CHECK(refused(json::array()) == "wrong_type at ");
  mneme_engine* engine = nullptr;
  CHECK(code_of(taken(mneme_open("{", 1, MNEME_JSON, &engine))) == "bad_json");
  CHECK(code_of(taken(mneme_open(nullptr, 0, 9, &engine))) == "bad_value");
}

TEST_CASE("no world is made where something else is") {
  const std::filesystem::path place =
      std::filesystem::temp_directory_path() / ("mneme_full_" + std::to_string(::getpid()));
  std::filesystem::create_directory(place);
  std::ofstream(place / "notes.txt") << "mine";
  mneme_engine* engine = nullptr;
  const json answer = opened({{"directory", place.string()}}, engine);
  CHECK(engine == nullptr);
  CHECK(code_of(answer) == "not_found");
  CHECK(answer["error"]["message"].get<std::string>().find("holds other files")
        != std::string::npos);
  CHECK(std::distance(std::filesystem::directory_iterator(place), {}) == 1);
  CHECK(std::filesystem::remove_all(place) == 2);
}

TEST_CASE("requests and answers are those of the line protocol, in both formats") {
  const small_world world;
  const json written = world.call("write", note("tea is at five"));
  REQUIRE(written["ok"] == true);
  CHECK(world.call(nullptr, {{"op", "get"}, {"id", written["id"]}})["memory"]["id"]
        == written["id"]);
  const json packed = world.call_packed("get", {{"id", written["id"]}});
  CHECK(packed == world.call("get", {{"id", written["id"]}}));
  CHECK(code_of(world.call("get", {{"op", "find"}})) == "bad_value");
  CHECK(code_of(world.call("no such op", json::object())) == "unknown_op");
  CHECK(code_of(world.call(nullptr, json::object())) == "missing_key");
  CHECK(code_of(world.call("get", {{"id", 5}})) == "wrong_type");
  CHECK(code_of(taken(mneme_call(world.engine, "root", nullptr, 0, MNEME_JSON))) == "ok");
  CHECK(code_of(world.call("clock", {{"now", "2026-01-01T00:00:00Z"}})) == "unsupported");
}

TEST_CASE("MessagePack that JSON could not say is refused") {
  const small_world world;
  const auto code = [&](const std::string& bytes) {
    return code_of(world.call_packed("get", bytes));
  };
  CHECK(code("\xC1") == "bad_json");                       // never used
  CHECK(code("\x81\xA2id") == "bad_json");                 // cut off
  CHECK(code(std::string("\x80\x00", 2)) == "bad_json");   // more behind it
  CHECK(code("\x82\xA2id\xA1x\xA2id\xA1x") == "bad_json"); // a key twice
  CHECK(code("\x81\xA2id\xC4\x01x") == "bad_json");        // binary
  CHECK(code("\x81\xA2id\xD4\x05x") == "bad_json");        // an extension
  CHECK(code("\x81\xA2id\xA1\xFF") == "bad_utf8");         // in a value
  CHECK(code("\x81\xA2i\xFF\xA1x") == "bad_utf8");         // in a key
  CHECK(code("\x81\x01\x02") == "bad_json");               // a key that is no text
  CHECK(code(std::string("\x81\xA2id\xCA\x7F\xC0\x00\x00", 9)) == "bad_json"); // not a number
  CHECK(code(std::string(100'000, '\x91')) == "bad_json");                     // very deep
  CHECK(code("\x81\xA2id\xDD\xFF\xFF\xFF\xFF") == "bad_json");                 // as long as it says
  // A number that is too large is said after what the request lacks.
  const std::string late = "\x81\xA6\x61t_seq\xCF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF";
  CHECK(code_of(world.call_packed("resolve", late)) == "missing_key");
  CHECK(code_of(world.call_packed("root", late)) == "out_of_range");
}

TEST_CASE("a manual clock stands until it is set, and the same requests give the same root") {
  const auto root = [] {
    const small_world world({{"in_memory", true},
                             {"seed", 5},
                             {"manual_clock", true},
                             {"per_request", true},
                             {"embedder", "none"}});
    CHECK(world.call("clock", {{"now", "2026-01-01T00:00:00Z"}})["ok"] == true);
    CHECK(world.call("write", note("tea"))["ok"] == true);
    return world.call("root", json::object())["root"];
  };
  CHECK(root() == root());
}

TEST_CASE("calls of many threads and calls that nobody waits for are all answered once") {
  small_world world;
  struct counts {
    std::atomic<int> ok{0};
    std::atomic<int> refused{0};
  } seen;
  const auto count = [](void* context, mneme_answer* answer) {
    auto& to = *static_cast<counts*>(context);
    ++(mneme_answer_ok(answer) == 1 ? to.ok : to.refused);
    mneme_answer_free(answer);
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const std::string text = note("of " + std::to_string(100 * t + i)).dump();
        if (i % 2 == 0)
          count(&seen, mneme_call(world.engine, "write", text.data(), text.size(), MNEME_JSON));
        else
          mneme_call_async(world.engine, "write", text.data(), text.size(), MNEME_JSON, count,
                           &seen);
      }
    });
  for (auto& t : threads) t.join();
  CHECK(taken(mneme_close(world.engine, MNEME_JSON))["seq"] == 100);
  CHECK(seen.ok == 100);
  CHECK(code_of(world.call("root", json::object())) == "shutdown");
  CHECK(code_of(taken(mneme_close(world.engine, MNEME_JSON))) == "shutdown");
  mneme_call_async(world.engine, "root", nullptr, 0, MNEME_JSON, count, &seen);
  CHECK(seen.refused == 1);
}

TEST_CASE("a round in arrays answers in the caller's arrays, and says what does not fit") {
  const small_world world({{"in_memory", true}, {"seed", 7}, {"embedder", "none"}});
  const std::vector<float> vectors{1, 0, 0, 1};
  const std::vector<const char*> texts{"east", "north"};
  std::vector<std::uint8_t> written(32);
  mneme_round round{};
  CHECK(code_of(taken(mneme_tick_arrays(world.engine, &round, MNEME_JSON))) == "bad_value");
  round.struct_size = sizeof round;
  round.dim = 2;
  round.writes = 2;
  CHECK(code_of(taken(mneme_tick_arrays(world.engine, &round, MNEME_JSON))) == "missing_key");
  round.texts = texts.data();
  round.vectors = vectors.data();
  round.written_ids = written.data();
  CHECK(taken(mneme_tick_arrays(world.engine, &round, MNEME_JSON))["seq"] == 2);

  mneme_round ask{};
  ask.struct_size = sizeof ask;
  ask.dim = 2;
  ask.asks = 1;
  ask.queries = vectors.data() + 2;
  ask.k = 3;
  std::vector<std::uint8_t> ids(48, 9);
  std::vector<double> distances(3, 9);
  std::uint32_t count = 9;
  ask.ids = ids.data();
  ask.distances = distances.data();
  ask.counts = &count;
  ask.with_texts = 1;
  const json answer = taken(mneme_tick_arrays(world.engine, &ask, MNEME_JSON));
  CHECK(answer["texts"] == json::array({json::array({"north", "east"})}));
  CHECK(count == 2);
  CHECK(distances == std::vector<double>{0, 1, 0});
  CHECK(std::equal(ids.begin(), ids.begin() + 16, written.begin() + 16));
  CHECK(std::all_of(ids.begin() + 32, ids.end(), [](std::uint8_t b) { return b == 0; }));
}

TEST_CASE("a world that is shared is closed once, too") {
  const std::string place = std::filesystem::temp_directory_path() / "mneme-closed-once";
  std::filesystem::remove_all(place);
  mneme_engine* engine = nullptr;
  REQUIRE(opened({{"directory", place}}, engine)["ok"] == true);
  CHECK(taken(mneme_close(engine, MNEME_JSON))["ok"] == true);
  CHECK(code_of(taken(mneme_close(engine, MNEME_JSON))) == "shutdown");
  mneme_free(engine);
  std::filesystem::remove_all(place);
}

TEST_CASE("what is NULL and may not be is said so") {
  {
    mneme_engine* engine = nullptr;
    REQUIRE(opened({{"in_memory", true}}, engine)["ok"] == true);
    CHECK(code_of(taken(mneme_call(engine, "stats", nullptr, 5, MNEME_JSON))) == "bad_value");
    CHECK(taken(mneme_call(engine, "stats", nullptr, 0, MNEME_JSON))["ok"] == true);
    taken(mneme_close(engine, MNEME_JSON));
    mneme_free(engine);
  }
  const small_world world({{"in_memory", true}, {"embedder", "none"}});
  mneme_engine* const nobody = nullptr;
  CHECK(code_of(taken(mneme_open("{}", 2, MNEME_JSON, nullptr))) == "bad_value");
  CHECK(code_of(taken(mneme_call(nobody, "root", nullptr, 0, MNEME_JSON))) == "bad_value");
  CHECK(code_of(taken(mneme_tick_arrays(world.engine, nullptr, MNEME_JSON))) == "bad_value");
  CHECK(code_of(taken(mneme_tick_arrays(world.engine, nullptr, 9))) == "bad_value");
  CHECK(code_of(taken(mneme_close(nobody, MNEME_JSON))) == "bad_value");
  CHECK(code_of(taken(mneme_close(world.engine, 9))) == "bad_value");
  mneme_call_async(world.engine, "root", nullptr, 0, MNEME_JSON, nullptr, nullptr);
  const char* const texts[] = {"one", nullptr};
  mneme_round round{};
  round.struct_size = sizeof round;
  round.dim = 2;
  round.writes = 2;
  round.texts = texts;
  CHECK(code_of(taken(mneme_tick_arrays(world.engine, &round, MNEME_JSON))) == "bad_value");
  std::size_t size = 7;
  CHECK(std::string(mneme_answer_bytes(nullptr, &size)).empty());
  CHECK(size == 0);
  CHECK(mneme_answer_ok(nullptr) == 0);
  mneme_answer_free(nullptr);
  CHECK(code_of(world.call("root", json::object())) == "ok");
}
