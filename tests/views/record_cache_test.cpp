#include "views/record_cache.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace mneme;

namespace {

record_cache::record record_of(std::uint32_t n, std::uint64_t bytes = 100) {
  head h;
  h.actor_scope = std::to_string(n);
  version v;
  v.number = n;
  return {h, v, bytes};
}

constexpr std::uint64_t room = 64ULL * 1000;

} // namespace

TEST_CASE("a record is found under its seq until another takes its room") {
  record_cache records(room);
  CHECK_FALSE(records.find({7}).has_value());
  records.put({7}, record_of(7));
  records.put({8}, record_of(8));
  const auto found = records.find({7});
  REQUIRE(found.has_value());
  CHECK(found->head->actor_scope == "7");
  CHECK(found->version->number == 7);
  CHECK(found->bytes == 100);
  CHECK(records.bytes() == 200);
  // They never change: what comes second is the same.
  records.put({7}, record_of(7));
  CHECK(records.bytes() == 200);
}

TEST_CASE("records take no more room than they were given, and stay whole for who has them") {
  record_cache records(room);
  records.put({1}, record_of(0));
  const auto mine = records.find({1});
  for (std::uint32_t row = 0; row < 10'000; ++row) {
    records.put({row + 1}, record_of(row));
    REQUIRE(records.bytes() <= room);
  }
  std::uint32_t kept = 0;
  for (std::uint32_t row = 0; row < 10'000; ++row) {
    const auto found = records.find({row + 1});
    if (!found) continue;
    ++kept;
    REQUIRE(found->version->number == row);
  }
  CHECK(kept == room / 100);
  REQUIRE(mine.has_value());
  CHECK(mine->head->actor_scope == "0");
}

TEST_CASE("what is asked for stays while everything else is read once") {
  record_cache records(room);
  for (std::uint32_t row = 0; row < 64; ++row) records.put({row + 1}, record_of(row));
  for (std::uint32_t row = 64; row < 10'000; ++row) {
    for (std::uint32_t asked = 0; asked < 64; ++asked)
      REQUIRE(records.find({asked + 1}).has_value());
    records.put({row + 1}, record_of(row));
  }
}

TEST_CASE("a record that is larger than the room, or any where there is none, is not kept") {
  record_cache records(room);
  records.put({1}, record_of(1, 1001)); // of the room of its shard
  CHECK_FALSE(records.find({1}).has_value());
  record_cache none(0);
  none.put({1}, record_of(1, 1));
  CHECK_FALSE(none.find({1}).has_value());
  CHECK(none.bytes() == 0);
}
