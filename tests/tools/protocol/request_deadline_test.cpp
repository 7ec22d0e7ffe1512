// What is late, where the engine does not see to it.
#include "tools/protocol/request_deadline.hpp"

#include <catch2/catch.hpp>

using namespace mneme;
using protocol::json;
using protocol::request_deadline;

TEST_CASE("a request is late once its time has passed, and never under a manual clock") {
  auto world = open_in_memory({});
  REQUIRE(world);
  protocol::session timed(*world);
  const request_deadline over(timed, 0); // has passed when it begins
  REQUIRE_FALSE(over.check());
  CHECK(over.check().error().code == errc::deadline_exceeded);
  CHECK(over.in_time(json::object()).error().code == errc::deadline_exceeded);
  const json answer{{"seq", 1}};
  CHECK(request_deadline(timed, std::nullopt).in_time(answer) == answer);
  CHECK(request_deadline(timed, std::int64_t{1} << 60).in_time(answer) == answer);
  manual_clock clock(timestamp{0});
  protocol::session repeated(*world, &clock);
  CHECK(request_deadline(repeated, 0).check());
}
