// A bucket after any history of changes: its leaves, its hash and those inside it are those of a
// bucket made from nothing, and only what changed is hashed.
// Of: journal/hash_rounds.cpp

#include "journal/leaf_bucket.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "tests/journal/sample_world.hpp"

using namespace mneme;
using samples::dice;
using samples::leaf_rows;

namespace {

/// Changes of distinct paths, in path order; some change nothing.
std::vector<tree_leaf> random_changes(dice& random, const leaf_rows& rows, std::size_t count) {
  leaf_rows drawn; // by path
  for (std::size_t i = 0; i < count; ++i) {
    const auto leaves = rows.all();
    const bool of_one = !leaves.empty() && random.one_in(2);
    const digest path =
        of_one ? leaves[random.below(leaves.size())].path : samples::crowded_path(random);
    const digest value = random.one_in(8) ? rows.value(path) : samples::random_hash(random);
    drawn.write(std::array{tree_leaf{path, value.is_zero() ? path : value}});
  }
  auto changes = drawn.all();
  for (auto& change : changes)
    if (random.one_in(3)) change.value_hash = {};
  return changes;
}

} // namespace

TEST_CASE("a bucket after any changes is the one that is made of its leaves") {
  rc::prop("changes", [](std::uint64_t seed) {
    dice random(seed);
    leaf_rows rows;
    leaf_bucket kept;
    for (int i = 0; i < 40; ++i) {
      const auto changes = random_changes(random, rows, 1 + random.below(6));
      std::vector<tree_leaf> expected;
      for (const auto& change : changes) expected.push_back({change.path, rows.value(change.path)});
      const auto before = rows.all();
      rows.write(changes);

      hash_rounds hashes;
      bucket_plan plan(hashes);
      std::vector<tree_leaf> overwritten;
      const auto made = plan.add(kept, changes, 0, &overwritten);
      RC_ASSERT(overwritten == expected);
      RC_ASSERT(plan.leaves() == rows.all());
      hashes.run();
      RC_ASSERT(made.count == rows.size());
      RC_ASSERT(made.same == (rows.all() == before));
      RC_ASSERT(hashes[made.hash] == tree_root_of(rows.all()));
      plan.edit(made, kept);

      leaf_bucket fresh;
      const auto whole = hash_bucket(rows.all(), 0, fresh);
      RC_ASSERT(whole == (subtree{hashes[made.hash], made.count}));
      RC_ASSERT(kept.leaves == fresh.leaves);
      RC_ASSERT(kept.forks == fresh.forks);
      if (rows.size() > 1) RC_ASSERT(hash_at_fork(kept) == whole.hash);
    }
  });
}

TEST_CASE("a bucket hashes to what its subtree is at any depth down to its first fork") {
  dice random(9);
  for (int i = 0; i < 50; ++i) {
    leaf_rows rows;
    const digest stem = samples::random_hash(random);
    for (std::uint64_t k = 0; k < 2 + random.below(20); ++k) {
      digest path = stem;
      path.bytes[5] = static_cast<std::uint8_t>(random.next());
      rows.write(std::array{tree_leaf{path, samples::random_hash(random)}});
    }
    const auto leaves = rows.all();
    if (leaves.size() < 2) continue;
    leaf_bucket bucket;
    hash_bucket(leaves, 0, bucket);
    for (std::size_t depth = 0; depth <= 40; ++depth)
      CHECK(hash_at_depth(bucket, depth) == state_tree_shape::of(leaves, depth).hash);
  }
}

TEST_CASE("a changed value costs the hashes above it and the leaves beside them") {
  dice random(12);
  leaf_rows rows;
  for (int i = 0; i < 32; ++i)
    rows.write(std::array{tree_leaf{samples::random_hash(random), samples::random_hash(random)}});
  leaf_bucket kept;
  hash_bucket(rows.all(), 0, kept);
  for (const auto& leaf : rows.all()) {
    hash_rounds hashes;
    bucket_plan plan(hashes);
    const std::array change{tree_leaf{leaf.path, samples::random_hash(random)}};
    const auto made = plan.add(kept, change, 0, nullptr);
    CHECK(hashes.waiting() <= 20);
    hashes.run();
    CHECK(hashes.waiting() == 0);
    rows.write(change);
    CHECK(hashes[made.hash] == tree_root_of(rows.all()));
    plan.edit(made, kept);
  }
}
