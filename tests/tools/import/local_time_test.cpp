// Times as files have them.
#include <catch2/catch.hpp>

#include "tools/import/local_time.hpp"

using namespace mneme;
using namespace mneme::importing;

TEST_CASE("times without an offset are UTC") {
  const auto text = [](const char* t) { return to_string(parse_local_time(t).value()); };
  CHECK(text("2024-03-15") == "2024-03-15T00:00:00Z");
  CHECK(text("2024-03-15T10:00:00") == "2024-03-15T10:00:00Z");
  CHECK(text("2024-03-15 10:00") == "2024-03-15T10:00:00Z");
  CHECK(text("2024-03-15T10:00:00.25") == "2024-03-15T10:00:00.25Z");
  CHECK(text("2024-03-15T10:00:00+02:00") == "2024-03-15T08:00:00Z");
  CHECK(text("2024-03-15T10:00-01:00") == "2024-03-15T11:00:00Z");
  for (const char* bad : {"", "soon", "2024", "2024-13-01", "2024-03-15T25:00", "2024-03-15Tx"})
    CHECK(parse_local_time(bad).error().code == errc::bad_time);
}
