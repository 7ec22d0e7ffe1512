// What a store promises, the same for both backends: reads, order, bounds, deletes, atomic batches,
// and that a crash leaves exactly the state of recovered().
// Of: storage/memory_store.cpp, storage/wiredtiger_store.cpp, storage/buffered_store.cpp
#include <catch2/catch.hpp>

#include "tests/storage/kv_model.hpp"
#include "tests/storage/store_sites.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

kv_write put(kv_table table, std::string key, std::string value) {
  return {table, std::move(key), std::move(value)};
}
kv_write drop(kv_table table, std::string key) {
  return {table, std::move(key), std::nullopt};
}

bool is_empty(kv_store& store) {
  return contents_of(store) == contents_at(0, seq_no{0});
}

using pair = std::pair<std::string, std::string>;

} // namespace

TEMPLATE_TEST_CASE("a fresh store is empty and at seq 0", "[kv]", ALL_SITES) {
  TestType site;
  auto store = site.open();
  CHECK(store->recovered() == seq_no{0});
  CHECK(is_empty(*store));
  auto reader = store->reader();
  REQUIRE(reader);
  CHECK((*reader)->get(kv_table::heads, "a").value() == std::nullopt);
  CHECK((*reader)->first(kv_table::heads, "", "").value() == std::nullopt);
  CHECK(store->verify());
}

TEMPLATE_TEST_CASE("point reads, first and scan keep their bounds", "[kv]", ALL_SITES) {
  TestType site;
  auto store = site.open();
  const std::string zero("\0", 1);
  const std::string high("\xFF\xFF");
  REQUIRE(store->apply({put(kv_table::heads, "b", "2"), put(kv_table::heads, "a", "1"),
                        put(kv_table::heads, "ba", ""), put(kv_table::heads, high, "4"),
                        put(kv_table::heads, zero, "0"), put(kv_table::edges, "a", "other")},
                       seq_no{1}));
  auto opened = store->reader();
  REQUIRE(opened);
  auto& reader = **opened;

  CHECK(reader.get(kv_table::heads, "a").value() == "1");
  CHECK(reader.get(kv_table::heads, "ba").value() == "");
  CHECK(reader.get(kv_table::heads, "aa").value() == std::nullopt);
  CHECK(reader.get(kv_table::edges, "a").value() == "other");
  CHECK(reader.get(kv_table::versions, "a").value() == std::nullopt);

  CHECK(reader.first(kv_table::heads, "", "").value() == pair(zero, "0"));
  CHECK(reader.first(kv_table::heads, "a", "").value() == pair("a", "1"));
  CHECK(reader.first(kv_table::heads, "aa", "").value() == pair("b", "2"));
  CHECK(reader.first(kv_table::heads, "aa", "b").value() == std::nullopt);
  CHECK(reader.first(kv_table::heads, "bb", "").value() == pair(high, "4"));
  CHECK(reader.first(kv_table::heads, high + "x", "").value() == std::nullopt);

  CHECK(contents_of(reader, kv_table::heads).size() == 5);
  CHECK(contents_of(reader, kv_table::heads, "a", "ba") == table_contents{{"a", "1"}, {"b", "2"}});
  CHECK(contents_of(reader, kv_table::heads, "b", "b").empty());
  CHECK(contents_of(reader, kv_table::heads, "c", "a").empty());
  int visited = 0;
  REQUIRE(reader.scan(kv_table::heads, "", "",
                      [&](std::string_view, std::string_view) { return ++visited < 2; }));
  CHECK(visited == 2);
}

TEMPLATE_TEST_CASE("the last write of a key in a batch wins; deleting nothing is fine", "[kv]",
                   ALL_SITES) {
  TestType site;
  auto store = site.open();
  REQUIRE(store->apply({put(kv_table::fields, "x", "1"), put(kv_table::fields, "x", "2"),
                        put(kv_table::fields, "y", "1"), drop(kv_table::fields, "y"),
                        drop(kv_table::fields, "never")},
                       seq_no{3}));
  CHECK(contents_of(*store)[static_cast<std::size_t>(kv_table::fields)]
        == table_contents{{"x", "2"}});
  REQUIRE(store->apply({drop(kv_table::fields, "x"), put(kv_table::fields, "y", "3")}, seq_no{9}));
  CHECK(contents_of(*store)[static_cast<std::size_t>(kv_table::fields)]
        == table_contents{{"y", "3"}});
  REQUIRE(store->apply({}, seq_no{10}));
}

TEMPLATE_TEST_CASE("a reader sees each commit at once, and one taken earlier does too", "[kv]",
                   ALL_SITES) {
  TestType site;
  auto store = site.open();
  auto early = store->reader();
  REQUIRE(early);
  for (std::uint64_t s = 1; s <= 50; ++s) {
    REQUIRE(store->apply({put(kv_table::heads, "k", std::to_string(s))}, seq_no{s}));
    CHECK((*early)->get(kv_table::heads, "k").value() == std::to_string(s));
    auto late = store->reader();
    REQUIRE(late);
    CHECK((*late)->first(kv_table::heads, "", "").value()->second == std::to_string(s));
  }
}

TEMPLATE_TEST_CASE("values of a megabyte and keys of a kilobyte", "[kv]", ALL_SITES) {
  TestType site;
  auto store = site.open();
  dice roll(4);
  const std::string key = roll.bytes(1000);
  const std::string value = roll.bytes(1 << 20);
  REQUIRE(store->apply({put(kv_table::versions, key, value)}, seq_no{1}));
  REQUIRE(store->set_stable(seq_no{1}));
  REQUIRE(store->checkpoint());
  store = site.crash(std::move(store));
  auto reader = store->reader();
  REQUIRE(reader);
  CHECK((*reader)->get(kv_table::versions, key).value() == value);
}

TEMPLATE_TEST_CASE("without a checkpoint a crash leaves nothing", "[kv]", ALL_SITES) {
  TestType site;
  auto store = site.open();
  for (std::uint64_t s = 1; s <= 40; ++s) {
    REQUIRE(store->apply(batch_of(1, seq_no{s}), seq_no{s}));
    REQUIRE(store->set_stable(seq_no{s}));
  }
  store = site.crash(std::move(store));
  CHECK(store->recovered() == seq_no{0});
  CHECK(is_empty(*store));
}

TEMPLATE_TEST_CASE("a checkpoint holds the state as of set_stable, not of the last commit", "[kv]",
                   ALL_SITES) {
  TestType site;
  auto store = site.open();
  for (std::uint64_t s = 1; s <= 60; ++s) REQUIRE(store->apply(batch_of(2, seq_no{s}), seq_no{s}));
  REQUIRE(store->set_stable(seq_no{37}));
  REQUIRE(store->checkpoint());
  CHECK(contents_of(*store) == contents_at(2, seq_no{60}));
  store = site.crash(std::move(store));
  CHECK(store->recovered() == seq_no{37});
  CHECK(contents_of(*store) == contents_at(2, seq_no{37}));
  // What was lost is applied again.
  for (std::uint64_t s = 38; s <= 70; ++s) REQUIRE(store->apply(batch_of(2, seq_no{s}), seq_no{s}));
  CHECK(contents_of(*store) == contents_at(2, seq_no{70}));
}

TEMPLATE_TEST_CASE("a stable seq ahead of what was applied counts only as far as that", "[kv]",
                   ALL_SITES) {
  TestType site;
  auto store = site.open();
  REQUIRE(store->apply(batch_of(3, seq_no{1}), seq_no{1}));
  for (int i = 0; i < 40; ++i) REQUIRE(store->set_stable(seq_no{5}));
  REQUIRE(store->checkpoint());
  REQUIRE(store->apply(batch_of(3, seq_no{2}), seq_no{2}));
  store = site.crash(std::move(store));
  CHECK(store->recovered() == seq_no{1});
  CHECK(contents_of(*store) == contents_at(3, seq_no{1}));
}

TEMPLATE_TEST_CASE("a batch without writes moves the checkpoint on", "[kv]", ALL_SITES) {
  TestType site;
  auto store = site.open();
  REQUIRE(store->apply({put(kv_table::heads, "a", "1")}, seq_no{1}));
  REQUIRE(store->set_stable(seq_no{1}));
  REQUIRE(store->checkpoint());
  REQUIRE(store->apply({}, seq_no{7}));
  REQUIRE(store->set_stable(seq_no{7}));
  REQUIRE(store->checkpoint());
  store = site.crash(std::move(store));
  CHECK(store->recovered() == seq_no{7});
}

TEMPLATE_TEST_CASE("a lower stable seq than before changes nothing", "[kv]", ALL_SITES) {
  TestType site;
  auto store = site.open();
  for (std::uint64_t s = 1; s <= 9; ++s) REQUIRE(store->apply(batch_of(6, seq_no{s}), seq_no{s}));
  REQUIRE(store->set_stable(seq_no{8}));
  REQUIRE(store->set_stable(seq_no{3}));
  REQUIRE(store->checkpoint());
  store = site.crash(std::move(store));
  CHECK(store->recovered() == seq_no{8});
  CHECK(contents_of(*store) == contents_at(6, seq_no{8}));
}

TEMPLATE_TEST_CASE("closing and opening again keeps at least the checkpoint, exactly", "[kv]",
                   ALL_SITES) {
  TestType site;
  auto store = site.open();
  std::uint64_t applied = 0;
  std::uint64_t checkpointed = 0;
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 30; ++i) {
      ++applied;
      REQUIRE(store->apply(batch_of(5, seq_no{applied}), seq_no{applied}));
      REQUIRE(store->set_stable(seq_no{applied - applied % 3}));
    }
    REQUIRE(store->checkpoint());
    checkpointed = applied - applied % 3;
    store.reset();
    store = site.open();
    REQUIRE(store->recovered().value >= checkpointed);
    REQUIRE(store->recovered().value <= applied);
    applied = store->recovered().value;
    REQUIRE(contents_of(*store) == contents_at(5, seq_no{applied}));
    REQUIRE(store->verify());
  }
}

TEMPLATE_TEST_CASE("verify passes beside open readers and unsaved changes", "[kv]", ALL_SITES) {
  TestType site;
  auto store = site.open();
  auto reader = store->reader();
  REQUIRE(reader);
  for (std::uint64_t s = 1; s <= 50; ++s) REQUIRE(store->apply(batch_of(8, seq_no{s}), seq_no{s}));
  CHECK((*reader)->first(kv_table::heads, "", "").has_value());
  CHECK(store->verify());
  CHECK(contents_of(*store) == contents_at(8, seq_no{50}));
  // The store is as usable as before.
  REQUIRE(store->apply(batch_of(8, seq_no{51}), seq_no{51}));
  REQUIRE(store->set_stable(seq_no{51}));
  REQUIRE(store->checkpoint());
  CHECK(store->verify());
  store = (reader->reset(), site.crash(std::move(store)));
  CHECK(store->recovered() == seq_no{51});
}
