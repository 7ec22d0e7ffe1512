#include "views/record_cache.hpp"

#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "messages/codec/records.hpp"

using namespace mneme;

namespace {

/// Of the same size, whatever the number.
packed_record record_of(std::uint32_t n, std::size_t text_bytes = 0) {
  head h;
  h.type = memory_type::note;
  h.current_version = 1;
  h.actor_scope = fmt::format("{:08}", n);
  version v;
  v.type = memory_type::note;
  v.number = 1;
  v.created_by = std::string(text_bytes, 'x');
  return {h, encode(h), v, encode(v)};
}

std::string actor_of(const taken_record& record) {
  return record.head->actor_scope;
}

const std::uint64_t bytes_of_one = record_of(0).size();
const std::uint64_t room = 64 * 10 * bytes_of_one; ///< ten in each shard

} // namespace

TEST_CASE("a record is found under its seq until another takes its room") {
  record_cache records(room);
  CHECK_FALSE(records.take({7}).has_value());
  records.put({7}, record_of(7));
  records.put({8}, record_of(8));
  const auto found = records.take({7});
  REQUIRE(found.has_value());
  CHECK(actor_of(*found) == "00000007");
  CHECK(records.bytes() == 2 * bytes_of_one);
  // They never change: what comes second is the same.
  records.put({7}, record_of(7));
  CHECK(records.bytes() == 2 * bytes_of_one);
}

TEST_CASE("records take no more room than they were given, and stay whole for who has them") {
  record_cache records(room);
  records.put({1}, record_of(0));
  const auto mine = records.take({1});
  for (std::uint32_t row = 0; row < 10'000; ++row) {
    records.put({row + 1}, record_of(row));
    REQUIRE(records.bytes() <= room);
  }
  std::uint32_t kept = 0;
  for (std::uint32_t row = 0; row < 10'000; ++row) {
    const auto found = records.take({row + 1});
    if (!found) continue;
    ++kept;
    REQUIRE(actor_of(*found) == fmt::format("{:08}", row));
  }
  CHECK(kept == room / bytes_of_one);
  REQUIRE(mine.has_value());
  CHECK(actor_of(*mine) == "00000000");
}

TEST_CASE("what is asked for stays while everything else is read once") {
  record_cache records(room);
  for (std::uint32_t row = 0; row < 64; ++row) records.put({row + 1}, record_of(row));
  for (std::uint32_t row = 64; row < 10'000; ++row) {
    for (std::uint32_t asked = 0; asked < 64; ++asked)
      REQUIRE(records.take({asked + 1}).has_value());
    records.put({row + 1}, record_of(row));
  }
}

TEST_CASE("what is asked for again is decoded once for all, within the room") {
  record_cache records(room);
  records.put({1}, record_of(1));
  const auto first = records.take({1});
  const auto second = records.take({1});
  const auto third = records.take({1});
  REQUIRE((first && second && third));
  CHECK(&*first->head != &*second->head);
  CHECK(&*second->head == &*third->head);
  CHECK(records.bytes() == bytes_of_one + third->held);
  CHECK(records.find({1})->unpack().held == third->held);
  // What comes into the same part pushes out what is decoded and not asked for.
  for (std::uint64_t n = 1; n <= 20; ++n) records.put({1 + 64 * n}, record_of(2));
  CHECK(records.bytes() <= room / 64);
  CHECK(records.bytes() % bytes_of_one == 0);
  CHECK(actor_of(*third) == "00000001");
}

TEST_CASE("a record that is larger than the room, or any where there is none, is not kept") {
  record_cache records(room);
  records.put({1}, record_of(1, room / 64)); // with its head more than the room of its shard
  CHECK_FALSE(records.take({1}).has_value());
  record_cache none(0);
  none.put({1}, record_of(1));
  CHECK_FALSE(none.find({1}).has_value());
  CHECK(none.bytes() == 0);
}
