#pragma once
/// A place where a store lives, so that one suite runs over both backends: it can be opened,
/// closed, and crashed.

#include <filesystem>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "storage/buffered_store.hpp"
#include "storage/kv_store.hpp"
#include "tests/storage/temporary_directory.hpp"

namespace mneme::testing {

class memory_site {
public:
  std::unique_ptr<kv_store> open() { return make_memory_store(disk_); }
  /// What a stopped machine leaves.
  std::unique_ptr<kv_store> crash(std::unique_ptr<kv_store> store) {
    store.reset();
    return open();
  }

private:
  std::shared_ptr<memory_disk> disk_ = make_memory_disk();
};

class wiredtiger_site {
public:
  std::unique_ptr<kv_store> open() {
    auto store = open_wiredtiger_store(directory(), {.cache_bytes = 32ULL << 20});
    if (!store) FAIL(store.error().message);
    return std::move(*store);
  }
  /// The files as they are while the store is open are what a stopped process leaves; closing it
  /// properly comes too late for the copy.
  std::unique_ptr<kv_store> crash(std::unique_ptr<kv_store> store) {
    const std::string before = directory();
    ++generation_;
    std::filesystem::copy(before, directory(), std::filesystem::copy_options::recursive);
    store.reset();
    std::filesystem::remove_all(before);
    return open();
  }
  [[nodiscard]] std::string directory() const {
    return root_.path() + "/store" + std::to_string(generation_);
  }

private:
  temporary_directory root_;
  int generation_ = 0;
};

/// A store with its newest rows in memory, over the store of another site. What is in memory goes
/// with the process; closed or not, the files are at their last checkpoint.
template <class Below>
class buffered_site {
public:
  std::unique_ptr<kv_store> open() { return std::make_unique<buffered_store>(below_.open()); }
  std::unique_ptr<kv_store> crash(std::unique_ptr<kv_store> store) {
    store.reset();
    return open();
  }

private:
  Below below_;
};
using buffered_memory_site = buffered_site<memory_site>;
using buffered_wiredtiger_site = buffered_site<wiredtiger_site>;

/// For TEMPLATE_TEST_CASE: the stores, and one behind a buffer.
#define ALL_SITES memory_site, wiredtiger_site, buffered_memory_site

} // namespace mneme::testing
