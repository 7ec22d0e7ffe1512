// Learned weights: by actor and seq, and through an image.
#include "index/columns/weight_table.hpp"

#include <catch2/catch.hpp>

namespace mneme {

namespace {

learned_weights weights_at(std::int64_t n) {
  return {.recency = n, .access = n + 1, .citations = n + 2, .importance = n + 3, .similarity = 7};
}

constexpr std::string_view image_name = "mnTEST09";

} // namespace

TEST_CASE("129: weights as of a seq; an actor that learned nothing has the defaults") {
  weight_table table;
  table.put("ana", {3}, weights_at(3));
  table.put("", {4}, weights_at(4));
  table.put("ana", {9}, weights_at(9));
  CHECK(table.find("ana", {2}) == learned_weights{});
  CHECK(table.find("ana", {3}) == weights_at(3));
  CHECK(table.find("ana", {8}) == weights_at(3));
  CHECK(table.find("ana", {9}) == weights_at(9));
  CHECK(table.find("", {9}) == weights_at(4));
  CHECK(table.find("ben", {9}) == learned_weights{});
}

TEST_CASE("an image of weights holds what reads of its window need, and nothing later") {
  weight_table table;
  for (std::int64_t n = 1; n <= 40; ++n)
    table.put(n % 2 == 0 ? "ana" : "ben", {static_cast<std::uint64_t>(n)}, weights_at(n));
  table.put("zoe", {41}, weights_at(41));
  image_writer out(image_name);
  table.save(out, {20}, {40});
  const std::string image = out.finish();
  auto in = image_reader::open(image, image_name);
  REQUIRE(in);
  weight_table loaded;
  REQUIRE(loaded.load(*in, {40}));
  CHECK(in->at_end());
  for (std::uint64_t at = 20; at <= 40; ++at)
    for (const char* actor : {"ana", "ben"})
      CHECK(loaded.find(actor, {at}) == table.find(actor, {at}));
  CHECK(loaded.find("zoe", {50}) == learned_weights{});
  loaded.put("zoe", {41}, weights_at(41));
  CHECK(loaded.find("zoe", {41}) == weights_at(41));
  // A record of a seq that the image cannot have is refused.
  auto again = image_reader::open(image, image_name);
  REQUIRE(again);
  weight_table refused;
  CHECK_FALSE(refused.load(*again, {39}));
}

} // namespace mneme
