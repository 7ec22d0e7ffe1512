// The leaves that a ledger reads, against a plain map: through any changes, checkpoints that
// settle, and some that fail.
#include "journal/leaf_table.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "tests/journal/sample_world.hpp"

using namespace mneme;
using samples::dice;

namespace {

using leaf_map = std::map<digest, digest>;

constexpr auto ns = state_namespace::memories;

digest repeated(std::uint8_t byte) {
  digest d;
  d.bytes.fill(byte);
  return d;
}
const digest first_path = repeated(0);
const digest last_path = repeated(0xFF);

digest path_of(std::uint64_t number) {
  return state_path(ns, "leaf " + std::to_string(number));
}

std::vector<tree_leaf> between(const leaf_map& all, const digest& first, const digest& last) {
  std::vector<tree_leaf> found;
  for (auto at = all.lower_bound(first); at != all.end() && at->first <= last; ++at)
    found.push_back({at->first, at->second});
  return found;
}

/// As a checkpoint would write them: of a table, in memory.
leaf_base base_of(const leaf_layers& layers) {
  auto held = std::make_shared<std::array<std::vector<tree_leaf>, state_namespace_count>>();
  leaf_base base;
  for (std::size_t of = 0; of < held->size(); ++of) {
    (*held)[of] = layers.read(static_cast<state_namespace>(of), first_path, last_path);
    base.leaves[of] = (*held)[of];
  }
  base.holder = held;
  return base;
}

class tried_table {
public:
  void put(const digest& path, const digest& value) {
    entry_header header;
    header.leaves = {{ns, path, value}};
    table.apply(header);
    if (value.is_zero())
      model.erase(path);
    else
      model.insert_or_assign(path, value);
  }
  void check(const digest& first, const digest& last) const {
    RC_ASSERT(table.read(ns, first, last) == between(model, first, last));
  }

  leaf_table table;
  leaf_map model;
};

} // namespace

TEST_CASE("a table of leaves has what was set last, wherever it lies") {
  rc::prop("leaves", [](std::uint64_t seed) {
    dice random(seed);
    tried_table tried;
    const std::uint64_t keys = 1 + random.below(400);
    for (std::uint64_t step = 0, steps = 1 + random.below(1500); step < steps; ++step) {
      const std::uint64_t kind = random.below(200);
      if (kind == 0) {
        const leaf_layers frozen = tried.table.freeze();
        const leaf_map then = tried.model;
        tried.put(path_of(random.below(keys)), repeated(7)); // beside the one who writes
        RC_ASSERT(frozen.read(ns, first_path, last_path) == between(then, first_path, last_path));
        tried.table.settle(base_of(frozen));
      } else if (kind == 1) {
        tried.table.freeze(); // and the checkpoint fails
      } else if (kind < 50) {
        tried.put(path_of(random.below(keys)), {});
      } else {
        tried.put(path_of(random.below(keys)), repeated(static_cast<std::uint8_t>(1 + kind)));
      }
      if (step % 16 != 0) continue;
      const digest one = path_of(random.below(keys));
      const digest other = path_of(random.below(keys));
      tried.check(std::min(one, other), std::max(one, other));
      tried.check(one, one);
    }
    tried.check(first_path, last_path);
    RC_ASSERT(tried.table.read(state_namespace::edges, first_path, last_path).empty());
  });
}

TEST_CASE("paths that are not spread are found all the same") {
  tried_table tried;
  for (int i = 0; i < 300; ++i) {
    digest path = repeated(i % 3 == 0 ? 0xFF : 0);
    path.bytes[20] = static_cast<std::uint8_t>(i);
    path.bytes[21] = static_cast<std::uint8_t>(i >> 8);
    tried.put(path, repeated(1));
  }
  const auto look = [&] {
    tried.check(first_path, last_path);
    for (const auto& [path, value] : tried.model) tried.check(path, path);
    tried.check(repeated(1), repeated(0xFE));
  };
  look();
  tried.table.settle(base_of(tried.table.freeze()));
  look();
}

TEST_CASE("leaves that are in no order are read as something, and nothing breaks") {
  auto held = std::make_shared<std::vector<tree_leaf>>();
  for (std::uint64_t i = 0; i < 1000; ++i) held->push_back({path_of(i), repeated(1)});
  leaf_base base{.leaves = {}, .holder = held};
  base.leaves[static_cast<std::size_t>(ns)] = *held;
  const leaf_table table(std::move(base));
  for (std::uint64_t i = 0; i < 1000; ++i)
    CHECK(table.read(ns, path_of(i), last_path).size() <= held->size());
}
