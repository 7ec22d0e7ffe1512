// Works that are done by several threads.
#include "state/checkpoint/side_by_side.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <vector>

namespace mneme {

TEST_CASE("works side by side are all done, and the first in their order that failed is told") {
  CHECK(run_side_by_side({}));
  std::atomic<int> done{0};
  std::vector<std::function<result<void>()>> works(9, [&]() -> result<void> {
    ++done;
    return {};
  });
  CHECK(run_side_by_side(works));
  CHECK(done == 9);
  works[3] = [&]() -> result<void> {
    ++done;
    return fail(errc::corrupt, "the fourth");
  };
  works[8] = [&]() -> result<void> {
    ++done;
    return fail(errc::io, "the last");
  };
  const auto failed = run_side_by_side(works);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "the fourth");
  CHECK(done == 18);
}

} // namespace mneme
