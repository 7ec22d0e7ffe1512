// Indexes that come late: loaded once, by whoever is first, and looked at by nobody before.
#include <catch2/catch.hpp>

#include <thread>
#include <vector>

#include "views/late_indexes.hpp"

using namespace mneme;

TEST_CASE("late indexes are loaded by who waits first, and once") {
  int loaded = 0;
  late_indexes late([&](const std::atomic<bool>&) -> result<std::uint64_t> {
    ++loaded;
    return 7;
  });
  CHECK_FALSE(late.are_there());
  CHECK(loaded == 0);
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 4; ++i)
      readers.emplace_back([&] { static_cast<void>(late.wait().value()); });
  }
  CHECK(loaded == 1);
  CHECK(late.are_there());
  CHECK(late.vectors() == 7);
  CHECK_FALSE(late.problem());
}

TEST_CASE("what loads late indexes beside others is waited for") {
  std::atomic<bool> goes_on{false};
  late_indexes late([&](const std::atomic<bool>&) -> result<std::uint64_t> {
    goes_on.wait(false);
    return 1;
  });
  late.begin();
  CHECK_FALSE(late.are_there());
  goes_on = true;
  goes_on.notify_all();
  CHECK(late.wait());
  CHECK(late.are_there());
}

TEST_CASE("late indexes that could not be loaded never are, and each who waits is told why") {
  int tried = 0;
  late_indexes late([&](const std::atomic<bool>&) -> result<std::uint64_t> {
    ++tried;
    return std::unexpected(error{errc::corrupt, "damaged", {}});
  });
  for (int i = 0; i < 2; ++i) {
    const auto waited = late.wait();
    REQUIRE_FALSE(waited);
    CHECK(waited.error().code == errc::corrupt);
  }
  CHECK(tried == 1);
  CHECK_FALSE(late.are_there());
  CHECK(late.problem()->message == "damaged");
}

TEST_CASE("late indexes that nobody needs any more are not loaded to the end") {
  std::atomic<bool> has_begun{false};
  {
    late_indexes late([&](const std::atomic<bool>& stops) -> result<std::uint64_t> {
      has_begun = true;
      has_begun.notify_all();
      while (!stops) std::this_thread::yield();
      return std::unexpected(error{errc::shutdown, "stopped", {}});
    });
    late.begin();
    has_begun.wait(false);
  }
  CHECK(has_begun);
}
