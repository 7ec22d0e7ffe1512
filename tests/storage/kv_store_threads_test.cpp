// Readers beside the writer and beside checkpoints: every call sees whole batches only. Run under
// TSan too.
// Of: storage/memory_store.cpp, storage/wiredtiger_store.cpp, storage/buffered_store.cpp
#include <atomic>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/storage/kv_model.hpp"
#include "tests/storage/store_sites.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr int rows = 20;
constexpr std::uint64_t commits = 400;

/// All rows get the same value in one batch.
std::vector<kv_write> uniform_batch(std::uint64_t seq) {
  std::vector<kv_write> writes;
  for (int row = 0; row < rows; ++row)
    writes.push_back({kv_table::heads, "row" + std::to_string(100 + row), std::to_string(seq)});
  return writes;
}

/// Number of a whole batch as one scan saw it; -1 if the rows differ.
long scanned_batch(kv_reader& reader) {
  std::string value;
  bool same = true;
  int seen = 0;
  const auto ok =
      reader.scan(kv_table::heads, "row", "rox", [&](std::string_view, std::string_view v) {
        if (seen++ == 0) value = v;
        same = same && v == value;
        return true;
      });
  if (!ok || !same || (seen != 0 && seen != rows)) return -1;
  return seen == 0 ? 0 : std::stol(value);
}

/// Reads until the writer is done; false if anything torn or backward was seen.
bool read_along(kv_store& store, const std::atomic<bool>& done) {
  long newest = 0;
  do {
    auto reader = store.reader();
    if (!reader) return false;
    const long seen = scanned_batch(**reader);
    auto row = (*reader)->get(kv_table::heads, "row105");
    if (seen < newest || !row) return false;
    newest = row->has_value() ? std::stol(**row) : 0;
    if (newest < seen) return false;
  } while (!done.load());
  return true;
}

} // namespace

TEMPLATE_TEST_CASE("readers beside a writer and checkpoints see whole batches in order",
                   "[kv][threads]", ALL_SITES) {
  TestType site;
  auto store = site.open();
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] { wrong += read_along(*store, done) ? 0 : 1; });
  threads.emplace_back([&] {
    do wrong += store->checkpoint() ? 0 : 1;
    while (!done.load());
  });
  for (std::uint64_t s = 1; s <= commits; ++s) {
    if (!store->apply(uniform_batch(s), seq_no{s})) ++wrong;
    if (!store->set_stable(seq_no{s - s % 5})) ++wrong;
  }
  done = true;
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
  store = site.crash(std::move(store));
  auto reader = store->reader();
  REQUIRE(reader);
  CHECK(scanned_batch(**reader) == static_cast<long>(store->recovered().value));
}

TEMPLATE_TEST_CASE("a hundred readers at once", "[kv][threads]", ALL_SITES) {
  TestType site;
  auto store = site.open();
  REQUIRE(store->apply(uniform_batch(1), seq_no{1}));
  std::vector<std::unique_ptr<kv_reader>> readers;
  for (int i = 0; i < 100; ++i) {
    auto reader = store->reader();
    REQUIRE(reader);
    REQUIRE(scanned_batch(**reader) == 1);
    readers.push_back(std::move(*reader));
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 10; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < readers.size(); i += 10)
        if (scanned_batch(*readers[i]) < 1) ++wrong;
    });
  // Readers that are held pin nothing: the writer and the checkpoints go on.
  for (std::uint64_t s = 2; s <= 200; ++s) {
    REQUIRE(store->apply(uniform_batch(s), seq_no{s}));
    REQUIRE(store->set_stable(seq_no{s}));
  }
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
  REQUIRE(store->checkpoint());
  for (auto& reader : readers) REQUIRE(scanned_batch(*reader) == 200);
}
