// Ids of imported memories are a function of what they are.
#include <catch2/catch.hpp>

#include "tools/import/derived_id.hpp"

using namespace mneme;
using namespace mneme::importing;

TEST_CASE("derived ids repeat, differ in every part, and carry the time") {
  const timestamp at{1'700'000'000'123'000'000};
  const memory_id id = derived_id("docs", "s", "k", at);
  CHECK(id == derived_id("docs", "s", "k", at));
  CHECK(id != derived_id("git", "s", "k", at));
  CHECK(id != derived_id("docs", "t", "k", at));
  CHECK(id != derived_id("docs", "s", "l", at));
  CHECK(id != derived_id("docs", "sk", "", at));
  std::uint64_t ms = 0;
  for (std::size_t i = 0; i < 6; ++i) ms = ms << 8 | id.bytes[i];
  CHECK(ms == 1'700'000'000'123);
}
