// Many writes in a row, batch by batch.
// Of: actors/engine_load.cpp
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include "tests/actors/facts_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// Facts "0", "1", … up to `count`; `change` sees each before it goes.
load_source facts(std::size_t count, std::function<void(std::size_t, write_request&)> change = {}) {
  return [=, next = std::size_t{0}]() mutable -> std::optional<mutation> {
    if (next == count) return std::nullopt;
    write_request r = fact(std::to_string(next));
    if (change) change(next, r);
    ++next;
    return r;
  };
}

} // namespace

TEST_CASE("a load writes all in its order, as batches of the same items would") {
  scratch loaded;
  scratch batched;
  constexpr std::size_t count = 1'000;
  auto a = engine::open(deterministic(loaded.world()));
  auto b = engine::open(deterministic(batched.world()));
  REQUIRE((a && b));
  std::vector<memory_id> ids;
  load_options options{.batch_items = 64};
  options.written = [&](std::span<const mutation_result> results) {
    for (const auto& r : results) ids.push_back(r.uri->id);
    CHECK(a->get(ids.back())); // what a batch wrote can be read
  };
  auto done = a->load(facts(count), options);
  if (!done) FAIL(done.error().message);
  CHECK(done->items == count);
  CHECK(done->seq == a->published());
  CHECK(ids.size() == count);
  auto next = facts(count);
  std::vector<mutation> items;
  while (auto item = next()) {
    items.push_back(std::move(*item));
    if (items.size() == 64) REQUIRE(b->write_batch(std::exchange(items, {})));
  }
  REQUIRE(b->write_batch(std::move(items)));
  CHECK(a->root()->overall == b->root()->overall);
}

TEST_CASE("a load may have nothing to write") {
  engine e = opened({});
  const seq_no before = e.published();
  auto done = e.load([] { return std::nullopt; });
  REQUIRE(done);
  CHECK(done->items == 0);
  CHECK(done->seq == before);
}

TEST_CASE("what a load cannot write ends it, and what came in batches before stays") {
  engine e = opened({});
  auto done = e.load(facts(100,
                           [](std::size_t i, write_request& r) {
                             if (i == 47) r.importance = 99;
                           }),
                     {.batch_items = 10});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == errc::out_of_range);
  CHECK(done.error().at == "items[47].importance");
  CHECK(e.stats()->memories == 40);
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{10'001}}) {
    done = e.load(facts(1), {.batch_items = wrong});
    REQUIRE_FALSE(done);
    CHECK(done.error().at == "batch_items");
  }
  CHECK(e.stats()->memories == 40);
}

TEST_CASE("an item of a load may name what an earlier one has made") {
  engine e = opened({});
  const memory_id from{{1}};
  const memory_id to{{2}};
  std::vector<mutation> items;
  for (const memory_id& id : {from, to}) {
    write_request r = fact("ends");
    r.id = id;
    items.emplace_back(r);
  }
  add_edge_request edge;
  edge.src = from;
  edge.dst = to;
  edge.type = static_cast<std::uint8_t>(edge_type::related_to);
  items.emplace_back(edge);
  auto done = e.load(
      [&, i = std::size_t{0}]() mutable -> std::optional<mutation> {
        if (i == items.size()) return std::nullopt;
        return items[i++];
      },
      {.batch_items = 1});
  REQUIRE(done);
  CHECK(e.get_edge({from, edge_type::related_to, to}));
}

TEST_CASE("large items make small batches") {
  engine e = opened({});
  std::size_t largest = 0;
  load_options options;
  options.written = [&](std::span<const mutation_result> results) {
    largest = std::max(largest, results.size());
  };
  auto done = e.load(
      facts(24, [](std::size_t, write_request& r) { r.payload.assign(1 << 20, 'x'); }), options);
  REQUIRE(done);
  CHECK(done->items == 24);
  CHECK(largest <= 4);
}

TEST_CASE("a close does not wait for the end of a load, which is told so") {
  engine e = opened({});
  std::atomic<int> given{0};
  result<load_result> done;
  std::thread loader([&] {
    done = e.load(
        [&]() -> std::optional<mutation> {
          ++given;
          return fact("again and again");
        },
        {.batch_items = 4});
  });
  while (given < 100) std::this_thread::yield();
  CHECK(e.close());
  loader.join();
  REQUIRE_FALSE(done);
  CHECK(done.error().code == errc::shutdown);
}

TEST_CASE("what a load wrote is there when the world is opened again") {
  scratch place;
  {
    auto e = engine::open(deterministic(place.world()));
    REQUIRE(e);
    REQUIRE(e->load(facts(300)));
  }
  auto e = engine::open(deterministic(place.world()));
  REQUIRE(e);
  CHECK(e->stats()->memories == 300);
}
