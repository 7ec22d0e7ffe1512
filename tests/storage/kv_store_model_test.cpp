// Random runs of commits, stable seqs, checkpoints, closes and crashes against a model: after every
// reopening the tables are exactly those of recovered(), which is never before the last checkpoint.
// Of: storage/memory_store.cpp, storage/wiredtiger_store.cpp, storage/buffered_store.cpp
#include <catch2/catch.hpp>

#include "tests/storage/kv_model.hpp"
#include "tests/storage/store_sites.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

struct writer_progress {
  std::uint64_t applied = 0;
  std::uint64_t stable = 0;
  std::uint64_t checkpointed = 0;
};

template <class Site>
void step(Site& site, std::unique_ptr<kv_store>& store, dice& roll, std::uint64_t seed,
          writer_progress& at) {
  const auto choice = roll.below(40);
  if (choice < 28) {
    ++at.applied;
    REQUIRE(store->apply(batch_of(seed, seq_no{at.applied}), seq_no{at.applied}));
  } else if (choice < 36) {
    at.stable += roll.below(at.applied - at.stable + 1);
    REQUIRE(store->set_stable(seq_no{at.stable}));
  } else if (choice < 38) {
    REQUIRE(store->checkpoint());
    at.checkpointed = at.stable;
  } else {
    if (choice == 38) {
      store = site.crash(std::move(store));
      REQUIRE(store->recovered().value == at.checkpointed);
    } else {
      store.reset();
      store = site.open();
      REQUIRE(store->recovered().value >= at.checkpointed);
      REQUIRE(store->recovered().value <= at.stable);
    }
    at.applied = at.stable = at.checkpointed = store->recovered().value;
  }
}

} // namespace

TEMPLATE_TEST_CASE("random histories with crashes", "[kv]", ALL_SITES, buffered_wiredtiger_site) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    INFO("seed " << seed);
    TestType site;
    auto store = site.open();
    dice roll(seed);
    writer_progress at;
    for (int i = 0; i < 180; ++i) {
      step(site, store, roll, seed, at);
      if (i % 10 == 0) REQUIRE(contents_of(*store) == contents_at(seed, seq_no{at.applied}));
    }
    REQUIRE(contents_of(*store) == contents_at(seed, seq_no{at.applied}));
    REQUIRE(store->verify());
  }
}
