// What is kept of a tree's leaves, and for how long: within its bound, and what was asked for last
// stays longest.

#include "journal/leaf_cache.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "tests/journal/sample_world.hpp"

using namespace mneme;
using samples::dice;

namespace {

leaf_bucket random_bucket(dice& random, std::size_t count) {
  std::vector<tree_leaf> leaves(count);
  for (auto& leaf : leaves) leaf = {samples::random_hash(random), samples::random_hash(random)};
  std::ranges::sort(leaves, {}, &tree_leaf::path);
  leaf_bucket bucket;
  hash_bucket(std::move(leaves), 0, bucket);
  return bucket;
}

} // namespace

TEST_CASE("what is kept is what was put there last, or gone, and never beyond its bound") {
  rc::prop("kept", [](std::uint64_t seed) {
    dice random(seed);
    const auto room = random.below(30'000);
    leaf_cache cache(room);
    std::vector<leaf_page> pages(20);
    std::vector<leaf_bucket> last(pages.size());
    for (int i = 0; i < 200; ++i) {
      const auto at = random.below(pages.size());
      if (random.one_in(8)) {
        cache.drop(pages[at]);
        RC_ASSERT(cache.find(pages[at]) == nullptr);
      } else {
        last[at] = random_bucket(random, random.below(33));
        pages[at] = cache.put(pages[at], last[at]);
      }
      RC_ASSERT(cache.bytes() <= room);
      for (std::size_t p = 0; p < pages.size(); ++p) {
        const auto* found = cache.find(pages[p]);
        if (found == nullptr) continue;
        RC_ASSERT(found->leaves == last[p].leaves);
        RC_ASSERT(found->forks == last[p].forks);
      }
    }
  });
}

TEST_CASE("everything is kept that there is room for") {
  dice random(3);
  leaf_cache cache(100 * 32 * (sizeof(tree_leaf) + sizeof(digest)));
  std::vector<leaf_page> pages;
  for (int i = 0; i < 90; ++i) pages.push_back(cache.put({}, random_bucket(random, 32)));
  for (const auto page : pages) CHECK(cache.find(page) != nullptr);
}

TEST_CASE("what was not asked for goes before what was") {
  dice random(5);
  const auto bucket = random_bucket(random, 32);
  leaf_cache measured(UINT64_MAX);
  (void)measured.put({}, bucket);
  leaf_cache cache(10 * measured.bytes());
  std::vector<leaf_page> pages;
  for (int i = 0; i < 11; ++i) pages.push_back(cache.put({}, bucket));
  // The hand has come round once: all but those that are asked for from now on may go.
  for (int more = 0; more < 8; ++more) {
    REQUIRE(cache.find(pages[5]) != nullptr);
    (void)cache.put({}, bucket);
  }
  CHECK(cache.find(pages[5]) != nullptr);
  CHECK(cache.find(pages[1]) == nullptr);
}

TEST_CASE("a page that was let go of is not taken for the one in its place") {
  dice random(7);
  leaf_cache cache(UINT64_MAX);
  const auto first = cache.put({}, random_bucket(random, 3));
  cache.drop(first);
  const auto second = cache.put({}, random_bucket(random, 4));
  CHECK(second.frame == first.frame);
  CHECK(cache.find(first) == nullptr);
  cache.drop(first);
  REQUIRE(cache.find(second) != nullptr);
  CHECK(cache.find(second)->leaves.size() == 4);
}
