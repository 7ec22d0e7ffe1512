// Paths and texts of the file-shaped memory tool.

#include "tools/server/mcp/memory_file_text.hpp"

#include <catch2/catch.hpp>

using namespace mneme;
using namespace mneme::server;

TEST_CASE("a path of the memory tool stays below its root") {
  CHECK(resolve_memory_path("/memories") == "");
  CHECK(resolve_memory_path("/memories/") == "");
  CHECK(resolve_memory_path("/memories//a/./b/") == "a/b");
  CHECK(resolve_memory_path("/memories/a/../b") == "b");
  CHECK(resolve_memory_path("/memories/...") == "...");
  for (const char* out :
       {"", "memories/a", "/etc/passwd", "/memoriesx", "/memories/..", "/memories/a/../../b",
        "/memories/%2e%2e/b", "/memories/.%2E/b", "/memories/a%2Fb", "/memories/../memories/a"})
    CHECK_FALSE(resolve_memory_path(out).has_value());
  CHECK_FALSE(resolve_memory_path(std::string("/memories/a\0b", 13)).has_value());
  CHECK_FALSE(resolve_memory_path("/memories/" + std::string(2'000, 'a')).has_value());
  CHECK(parent_of("a/b/c") == "a/b");
  CHECK(parent_of("a") == "");
  CHECK(name_in_path("a/b/c") == "c");
}

TEST_CASE("sizes are short, and halves go up") {
  CHECK(size_text(0) == "0B");
  CHECK(size_text(1023) == "1023B");
  CHECK(size_text(1024) == "1K");
  CHECK(size_text(1280) == "1.3K"); // 1.25
  CHECK(size_text(1587) == "1.5K");
  CHECK(size_text(3U << 20) == "3M");
  CHECK(size_text(std::uint64_t{5} << 40) == "5120G");
}

TEST_CASE("a file is viewed with the numbers of its lines, or some of them") {
  const auto view = [](std::string_view text, std::optional<line_range> range = std::nullopt) {
    const auto said = viewed_file("/memories/f", text, range);
    return said.substr(said.find('\n') + 1);
  };
  CHECK(view("a\nb\n") == "     1\ta\n     2\tb\n     3\t");
  CHECK(view("") == "     1\t");
  CHECK(view("a\nb\nc", line_range{2, -1}) == "     2\tb\n     3\tc");
  CHECK(view("a\nb\nc", line_range{-4, 1}) == "     1\ta");
  CHECK(view("a\nb\nc", line_range{2, -2}).empty());
  CHECK(view("a\nb\nc", line_range{9, 12}).empty());
}

TEST_CASE("what is replaced stands in one line, and what is inserted behind one") {
  const auto edited = replace_in("/memories/f", "a\nb b\nc", "b", "x\ny");
  REQUIRE(edited.has_value());
  CHECK(edited->text == "a\nx\ny b\nc");
  CHECK(edited->said.ends_with(":\n     1\ta\n     2\tx\n     3\ty b\n     4\tc"));
  CHECK(replace_in("/memories/f", "a\nb", "a\nb", "x").error().message.find("did not appear")
        != std::string::npos);
  CHECK(replace_in("/memories/f", "a\nba", "a", "x").error().message.find("in lines: 1, 2.")
        != std::string::npos);
  CHECK(insert_in("/memories/f", "a\nb", 1, "x\n")->text == "a\nx\nb");
  CHECK(insert_in("/memories/f", "a", 1, "x\n\n")->text == "a\nx\n");
  CHECK_FALSE(insert_in("/memories/f", "a", 2, "x").has_value());
  CHECK_FALSE(insert_in("/memories/f", "a", -1, "x").has_value());
}
