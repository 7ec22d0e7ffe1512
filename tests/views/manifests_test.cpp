// Snapshots as readers find them.
#include <catch2/catch.hpp>

#include "storage/key_layout.hpp"
#include "views/manifests.hpp"

using namespace mneme;

TEST_CASE("a snapshot is found by its root once its entry is published, not before") {
  const auto store = make_memory_store(make_memory_disk());
  manifest taken;
  taken.seq = {4};
  taken.overall_root.bytes[0] = 7;
  REQUIRE(store->apply({{kv_table::manifests, keys::manifest({5}), encode(taken)}}, {5}));
  CHECK(find_manifest(*store, taken.overall_root, {4}).value() == std::nullopt);
  CHECK(find_manifest(*store, taken.overall_root, {5}).value() == taken);
  CHECK(find_manifest(*store, digest{}, {5}).value() == std::nullopt);
}
