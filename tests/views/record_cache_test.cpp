#include "views/record_cache.hpp"

#include <map>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace mneme;

namespace {

constexpr std::uint64_t bytes_of_one = 1000;
constexpr std::uint64_t room = 64 * 10 * bytes_of_one; ///< ten in each shard

taken_record record_of(std::uint64_t n, std::uint64_t bytes = bytes_of_one) {
  head h;
  h.actor_scope = fmt::format("{}", n);
  return {.head = std::move(h), .version = version{}, .held = bytes};
}

std::string actor_of(const taken_record& record) {
  return record.head->actor_scope;
}

/// As a reader does it; true if it was kept.
bool ask(record_cache& records, std::uint64_t n) {
  auto found = records.take({n});
  if (!found.record) {
    if (found.is_asked_again) records.keep({n}, record_of(n));
    return false;
  }
  REQUIRE(actor_of(*found.record) == fmt::format("{}", n));
  return true;
}

} // namespace

TEST_CASE("what is asked for again is kept, and is the same for all who ask from then on") {
  record_cache records(room);
  CHECK_FALSE(ask(records, 7));
  CHECK(records.bytes() == 0);
  CHECK_FALSE(ask(records, 8));
  CHECK_FALSE(ask(records, 7));
  CHECK(records.bytes() == bytes_of_one);
  CHECK(ask(records, 7));
  const auto one = records.take({7}).record;
  const auto other = records.take({7}).record;
  REQUIRE((one && other));
  CHECK(&*one->head == &*other->head);
  // They never change: what comes second is the same.
  records.keep({7}, record_of(7));
  CHECK(records.bytes() == bytes_of_one);
}

TEST_CASE("records take no more room than they were given, and stay whole for who has them") {
  record_cache records(room);
  records.keep({1}, record_of(1));
  const auto mine = records.take({1}).record;
  for (std::uint64_t n = 1; n <= 10'000; ++n) {
    records.keep({n}, record_of(n));
    REQUIRE(records.bytes() <= room);
  }
  std::uint64_t kept = 0;
  for (std::uint64_t n = 1; n <= 10'000; ++n) kept += ask(records, n) ? 1U : 0U;
  CHECK(kept == room / bytes_of_one);
  REQUIRE(mine.has_value());
  CHECK(actor_of(*mine) == "1");
}

TEST_CASE("what is asked for stays while everything else is read once") {
  record_cache records(room);
  for (int round = 0; round < 2; ++round)
    for (std::uint64_t n = 1; n <= 64; ++n) ask(records, n);
  for (std::uint64_t other = 65; other < 10'000; ++other) {
    ask(records, other);
    REQUIRE(ask(records, 1 + other % 64));
  }
  CHECK(records.bytes() == 64 * bytes_of_one);
}

TEST_CASE("what is asked for stays while others are kept") {
  record_cache records(room);
  for (std::uint64_t n = 1; n <= 64; ++n) records.keep({n}, record_of(n));
  for (std::uint64_t other = 65; other < 10'000; ++other) {
    for (std::uint64_t n = 1; n <= 64; ++n) REQUIRE(ask(records, n));
    records.keep({other}, record_of(other));
  }
}

TEST_CASE("a record that is larger than the room, or any where there is none, is not kept") {
  record_cache records(room);
  records.keep({1}, record_of(1, room / 64 + 1));
  CHECK_FALSE(ask(records, 1));
  CHECK(records.bytes() == 0);
  record_cache none(0);
  for (int round = 0; round < 3; ++round) CHECK_FALSE(ask(none, 1));
  CHECK(none.bytes() == 0);
}
