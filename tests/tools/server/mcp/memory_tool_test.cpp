// The file-shaped memory tool over an engine in memory.
// Of: tools/server/mcp/memory_files.cpp, tools/server/mcp/memory_tool.cpp

#include "tools/server/mcp/memory_tool.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/server/access/gateway.hpp"

using namespace mneme;
using namespace mneme::server;

namespace {

struct tool_over_engine {
  engine target = engine::open({}).value();
  gateway to{target, ""};
  world_turns turns{""};
  memory_tool tool{to, turns};
  client who{};

  ~tool_over_engine() { (void)target.close(); }

  std::pair<bool, std::string> ask(const json& arguments) {
    const json result = tool.call(who, "memory", arguments);
    return {result["isError"] == false, result["content"][0]["text"].get<std::string>()};
  }
  bool does(const json& arguments) { return ask(arguments).first; }
  std::string view(std::string_view path) {
    return ask({{"command", "view"}, {"path", path}}).second;
  }
};

json create(std::string_view path, std::string_view text) {
  return {{"command", "create"}, {"path", path}, {"file_text", text}};
}

} // namespace

TEST_CASE("a file of the memory tool says what was written, blank texts too") {
  tool_over_engine t;
  for (const char* text : {"", "\n", "tea", "(a blank file)", "\"quoted\""}) {
    CHECK(t.does(create("/memories/a/f", text)));
    const auto seen = t.view("/memories/a/f");
    CHECK(
        seen.substr(seen.find('\n') + 1).starts_with("     1\t" + std::string(text).substr(0, 1)));
    CHECK(t.does({{"command", "insert"},
                  {"path", "/memories/a/f"},
                  {"insert_line", 0},
                  {"insert_text", "first"}}));
    CHECK(t.view("/memories/a/f").find("     1\tfirst\n     2\t") != std::string::npos);
    CHECK(t.does({{"command", "delete"}, {"path", "/memories/a/f"}}));
  }
  CHECK(t.view("/memories").find("/memories/a/") != std::string::npos);
}

TEST_CASE("a directory of the memory tool moves with all that is in it, and goes with it") {
  tool_over_engine t;
  for (const char* path : {"/memories/a/b/c/one", "/memories/a/two", "/memories/ab"})
    CHECK(t.does(create(path, path)));
  CHECK(
      t.does({{"command", "rename"}, {"old_path", "/memories/a"}, {"new_path", "/memories/x/y"}}));
  CHECK(t.view("/memories/x/y/b/c/one").find("/memories/a/b/c/one") != std::string::npos);
  CHECK_FALSE(t.does({{"command", "view"}, {"path", "/memories/a"}}));
  CHECK_FALSE(t.does(create("/memories/ab/under_a_file", "x")));
  CHECK_FALSE(
      t.does({{"command", "rename"}, {"old_path", "/memories/x"}, {"new_path", "/memories/x/z"}}));
  CHECK(t.does({{"command", "delete"}, {"path", "/memories/x"}}));
  CHECK(t.view("/memories").ends_with("\n12B\t/memories/ab"));
}

TEST_CASE("files of the memory tool are of who asks") {
  tool_over_engine t;
  t.who = {.actor = "ana"};
  CHECK(t.does(create("/memories/f", "hers")));
  t.who = {.actor = "bob"};
  CHECK_FALSE(t.does({{"command", "view"}, {"path", "/memories/f"}}));
  CHECK(t.does(create("/memories/f", "his")));
  t.who = {.actor = "ana", .read_only = true};
  CHECK(t.view("/memories/f").ends_with("hers"));
  CHECK_FALSE(t.does({{"command", "delete"}, {"path", "/memories/f"}}));
  CHECK(t.tool.tools_for(t.who)[0]["annotations"]["readOnlyHint"] == true);
}
