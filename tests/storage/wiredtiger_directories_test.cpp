// WiredTiger's files are made anew beside those that are open, and the old ones go with whoever
// reads them last; of what a crash leaves between two, nothing is used.
#include "storage/wiredtiger_directories.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

#include "storage/buffered_store.hpp"
#include "tests/storage/temporary_directory.hpp"

using namespace mneme;

namespace {

std::unique_ptr<kv_store> opened(wiredtiger_directories& where) {
  auto store = where.open();
  if (!store) FAIL(store.error().message);
  return std::move(*store);
}

std::vector<std::string> names(const std::string& base) {
  return {base, base + ".1", base + ".2", base + ".3"};
}

void write(kv_store& store, const std::string& key, seq_no seq) {
  REQUIRE(store.apply({{kv_table::heads, key, "value of " + key}}, seq));
  REQUIRE(store.set_stable(seq));
}

std::optional<std::string> read(kv_store& store, const std::string& key) {
  auto reader = store.reader();
  REQUIRE(reader);
  auto found = (*reader)->get(kv_table::heads, key);
  REQUIRE(found);
  return *found;
}

} // namespace

TEST_CASE("files are retired while somebody reads them, and go with him") {
  temporary_directory root;
  const std::string base = root.path() + "/store";
  wiredtiger_directories where(names(base), {});
  CHECK_FALSE(where.is_there());
  buffered_store store(opened(where));
  write(store, "old", seq_no{1});
  REQUIRE(store.checkpoint());
  auto reader = store.reader();
  REQUIRE(reader);
  CHECK((*reader)->get(kv_table::heads, "old")->has_value());
  bool is_removed = false;
  store.renew([&where] { return where.open(); },
              [&, remove = where.retire()] {
                remove();
                is_removed = true;
              });
  CHECK_FALSE(is_removed); // the reader holds them
  CHECK(std::filesystem::exists(base));
  CHECK_FALSE(read(store, "old").has_value());
  CHECK(std::filesystem::exists(base + ".1"));
  CHECK_FALSE((*reader)->get(kv_table::heads, "old")->has_value()); // he looks again, and lets go
  CHECK(is_removed);
  CHECK_FALSE(std::filesystem::exists(base));
  write(store, "new", seq_no{2});
  REQUIRE(store.checkpoint());
  CHECK(read(store, "new") == "value of new");
}

TEST_CASE("a world is opened where its files are, and of two nothing is used") {
  temporary_directory root;
  const std::string base = root.path() + "/store";
  const auto fill = [&](const std::string& directory) {
    auto store = open_wiredtiger_store(directory, {});
    REQUIRE(store);
    write(**store, "key", seq_no{1});
    REQUIRE((*store)->checkpoint());
  };
  fill(base + ".2");
  {
    wiredtiger_directories where(names(base), {});
    CHECK(where.is_there());
    CHECK(read(*opened(where), "key") == "value of key");
  }
  fill(base + ".3");
  std::filesystem::create_directories(base + ".other");
  {
    wiredtiger_directories where(names(base), {});
    CHECK_FALSE(read(*opened(where), "key").has_value());
  }
  CHECK_FALSE(std::filesystem::exists(base + ".2"));
  CHECK_FALSE(std::filesystem::exists(base + ".3"));
  CHECK(std::filesystem::exists(base + ".other")); // none of its
}
