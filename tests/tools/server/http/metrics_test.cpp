// What /metrics says of the sizes of a world.

#include "tools/server/http/metrics.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <unistd.h>

using namespace mneme;
using namespace mneme::server;

TEST_CASE("the journal's bytes are those that the engine counts, however many its files are") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("mneme_metrics_{}", ::getpid());
  for (const char* part : {"journal", "store"}) fs::create_directories(folder / part);
  std::ofstream(folder / "journal" / "a segment") << std::string(1000, 'x');
  std::ofstream(folder / "store" / "a table") << std::string(30, 'x');
  std::ofstream(folder / "WORLD") << std::string(4, 'x');
  auto world = open_in_memory();
  REQUIRE(world);
  const auto journal_bytes = world->stats()->journal_bytes;
  metrics counts;
  const auto text = counts.text(*world, folder.string());
  fs::remove_all(folder);
  REQUIRE(text);
  CHECK(text->contains(fmt::format("\nmneme_store_bytes {}\n", journal_bytes + 34)));
  CHECK(text->contains(fmt::format("\nmneme_journal_bytes {}\n", journal_bytes)));
}
