// A store without power does nothing, and what was done before stays.
#include <catch2/catch.hpp>

#include "sim/powered_store.hpp"

using namespace mneme;

TEST_CASE("a store that is unplugged fails and changes nothing") {
  const auto disk = make_memory_disk();
  const auto supply = std::make_shared<sim::power>();
  const auto store = sim::make_powered_store(make_memory_store(disk), supply);
  REQUIRE(store->apply({{kv_table::heads, "a", "1"}}, {1}));
  REQUIRE(store->set_stable({1}));
  REQUIRE(store->checkpoint());
  REQUIRE(store->apply({{kv_table::heads, "b", "2"}}, {2}));
  supply->on = false;
  CHECK(store->set_stable({2}).error().code == errc::io);
  CHECK(store->checkpoint().error().code == errc::io);
  CHECK(store->apply({{kv_table::heads, "c", "3"}}, {3}).error().code == errc::io);
  CHECK(store->reader().error().code == errc::io);
  const auto again = make_memory_store(disk);
  CHECK(again->recovered() == seq_no{1});
  const auto reader = again->reader();
  CHECK((*reader)->get(kv_table::heads, "a")->value() == "1");
  CHECK_FALSE((*reader)->get(kv_table::heads, "b")->has_value());
}
