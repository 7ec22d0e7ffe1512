// What only the WiredTiger store has: its directory, its locks, its limits, damage in its files.
#include <fstream>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/storage/kv_model.hpp"
#include "tests/storage/store_sites.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE("a second opening of the same directory is busy", "[wiredtiger]") {
  wiredtiger_site site;
  auto store = site.open();
  auto second = open_wiredtiger_store(site.directory(), {});
  REQUIRE_FALSE(second);
  CHECK(second.error().code == errc::busy);
  auto reading = open_wiredtiger_store(site.directory(), {.read_only = true});
  REQUIRE_FALSE(reading);
  CHECK(reading.error().code == errc::busy);
  REQUIRE(store->apply(batch_of(1, seq_no{1}), seq_no{1}));
}

TEST_CASE("a closed store opens read-only and refuses writes", "[wiredtiger]") {
  wiredtiger_site site;
  auto store = site.open();
  for (std::uint64_t s = 1; s <= 20; ++s) REQUIRE(store->apply(batch_of(1, seq_no{s}), seq_no{s}));
  REQUIRE(store->set_stable(seq_no{20}));
  REQUIRE(store->checkpoint());
  store.reset();
  auto reading = open_wiredtiger_store(site.directory(), {.read_only = true});
  if (!reading) FAIL(reading.error().message);
  CHECK((*reading)->recovered() == seq_no{20});
  CHECK(contents_of(**reading) == contents_at(1, seq_no{20}));
  auto refused = (*reading)->apply(batch_of(1, seq_no{21}), seq_no{21});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::read_only);
  CHECK((*reading)->checkpoint().error().code == errc::read_only);
  reading->reset();
  CHECK(contents_of(*site.open()) == contents_at(1, seq_no{20}));
}

TEST_CASE("the files of the last checkpoint are copied while the store is written to",
          "[wiredtiger]") {
  wiredtiger_site site;
  temporary_directory elsewhere;
  auto store = site.open();
  for (std::uint64_t s = 1; s <= 20; ++s) REQUIRE(store->apply(batch_of(1, seq_no{s}), seq_no{s}));
  REQUIRE(store->set_stable(seq_no{20}));
  REQUIRE(store->checkpoint());
  for (std::uint64_t s = 21; s <= 30; ++s) REQUIRE(store->apply(batch_of(1, seq_no{s}), seq_no{s}));
  REQUIRE(store->set_stable(seq_no{30}));
  const std::string to = elsewhere.path() + "/copy";
  std::filesystem::create_directories(to);
  std::uint64_t seq = 30;
  REQUIRE(store->visit_checkpoint(
      [&](const std::string& from, const std::vector<std::string>& names) -> result<void> {
        for (const auto& name : names) {
          std::filesystem::copy_file(from + "/" + name, to + "/" + name);
          ++seq;
          if (auto ok = store->apply(batch_of(1, seq_no{seq}), seq_no{seq}); !ok) return ok;
        }
        return {};
      }));
  REQUIRE(seq > 35);
  auto copy = open_wiredtiger_store(to, {});
  if (!copy) FAIL(copy.error().message);
  CHECK((*copy)->recovered() == seq_no{20});
  CHECK(contents_of(**copy) == contents_at(1, seq_no{20}));
  CHECK((*copy)->verify());
  CHECK(contents_of(*store) == contents_at(1, seq_no{seq}));
  // What the visit says is what is answered, and the next one begins anew.
  const auto full = [](const auto&, const auto&) -> result<void> {
    return fail(errc::disk_full, "full");
  };
  CHECK(store->visit_checkpoint(full).error().code == errc::disk_full);
  CHECK(store->visit_checkpoint([](const auto&, const auto& names) -> result<void> {
    return names.empty() ? fail(errc::io, "none") : result<void>();
  }));
  REQUIRE(store->checkpoint());
  CHECK(make_memory_store(make_memory_disk())->visit_checkpoint(full).error().code
        == errc::unsupported);
}

TEST_CASE("reading a directory without a store is not_found and makes nothing", "[wiredtiger]") {
  temporary_directory root;
  auto none = open_wiredtiger_store(root.path() + "/none", {.read_only = true});
  REQUIRE_FALSE(none);
  CHECK(none.error().code == errc::not_found);
  CHECK_FALSE(std::filesystem::exists(root.path() + "/none"));
}

TEST_CASE("a directory that cannot be made is io", "[wiredtiger]") {
  temporary_directory root;
  std::ofstream(root.path() + "/file") << "x";
  auto refused = open_wiredtiger_store(root.path() + "/file/store", {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::io);
}

TEST_CASE("more readers than sessions are refused, and the store goes on", "[wiredtiger]") {
  wiredtiger_site site;
  auto store = site.open();
  std::vector<std::unique_ptr<kv_reader>> readers;
  std::optional<error> refused;
  while (!refused && readers.size() < 5000) {
    auto reader = store->reader();
    if (reader)
      readers.push_back(std::move(*reader));
    else
      refused = reader.error();
  }
  REQUIRE(refused);
  CHECK(refused->code == errc::io);
  CHECK(readers.size() > 1000);
  REQUIRE(store->apply(batch_of(1, seq_no{1}), seq_no{1}));
  readers.pop_back();
  CHECK(store->reader().has_value());
}

TEST_CASE("a damaged page is an error, never a wrong answer", "[wiredtiger]") {
  wiredtiger_site site;
  auto store = site.open();
  for (std::uint64_t s = 1; s <= 300; ++s) REQUIRE(store->apply(batch_of(1, seq_no{s}), seq_no{s}));
  REQUIRE(store->set_stable(seq_no{300}));
  REQUIRE(store->checkpoint());
  store.reset();
  const auto expected = contents_at(1, seq_no{300});
  const std::string path = site.directory() + "/heads.wt";
  const auto size = std::filesystem::file_size(path);
  for (std::uintmax_t at = 100; at < size; at += size / 9) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(old ^ 0x10));
    file.close();
    auto opened = open_wiredtiger_store(site.directory(), {.read_only = true});
    if (!opened) {
      CHECK(opened.error().code == errc::io);
    } else if (auto whole = (*opened)->verify(); whole) {
      // The byte belongs to a block that is free.
      CHECK(contents_of(**opened) == expected);
    } else {
      CHECK(whole.error().code == errc::io);
    }
    if (opened) opened->reset();
    std::fstream mend(path, std::ios::in | std::ios::out | std::ios::binary);
    mend.seekp(static_cast<std::streamoff>(at));
    mend.put(old);
  }
}

TEST_CASE("a flipped bit in a compressed block is an error, never another text", "[wiredtiger]") {
  temporary_directory root;
  const auto text_of = [](int i) {
    std::string text;
    while (text.size() < 600) text += "the kettle number " + std::to_string(i) + " is on; ";
    return text;
  };
  {
    auto store = open_wiredtiger_store(root.path(), {});
    REQUIRE(store);
    std::vector<kv_write> writes;
    for (int i = 0; i < 400; ++i)
      writes.push_back({kv_table::heads, std::to_string(1000 + i), text_of(i)});
    REQUIRE((*store)->apply(writes, seq_no{1}));
    REQUIRE((*store)->set_stable(seq_no{1}));
    REQUIRE((*store)->checkpoint());
  }
  const std::string path = root.path() + "/heads.wt";
  const auto size = std::filesystem::file_size(path);
  int damaged = 0;
  for (std::uintmax_t at = 4096 + 80; at < size; at += size / 12) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(old ^ 0x04));
    file.close();
    if (auto store = open_wiredtiger_store(root.path(), {.read_only = true})) {
      auto reader = (*store)->reader();
      REQUIRE(reader);
      for (int i = 0; i < 400; ++i) {
        auto read = (*reader)->get(kv_table::heads, std::to_string(1000 + i));
        if (!read) {
          // It says what to do, as those after it.
          CHECK_THAT(read.error().message, Catch::Contains("close and open it again to recover"));
          ++damaged;
          break;
        }
        REQUIRE(read->has_value());
        REQUIRE(**read == text_of(i));
      }
    }
    std::fstream mend(path, std::ios::in | std::ios::out | std::ios::binary);
    mend.seekp(static_cast<std::streamoff>(at));
    mend.put(old);
  }
  CHECK(damaged > 0);
}

TEST_CASE("a checkpoint that cannot be finished stops the store; what is under way ends",
          "[wiredtiger]") {
  wiredtiger_site site;
  auto store = site.open();
  for (std::uint64_t s = 1; s <= 20; ++s) REQUIRE(store->apply(batch_of(1, seq_no{s}), seq_no{s}));
  REQUIRE(store->set_stable(seq_no{20}));
  auto reader = store->reader();
  REQUIRE(reader);
  result<void> checkpointed;
  const auto fail_checkpoint = [&] {
    // In the way of the file that a checkpoint ends with.
    std::filesystem::create_directory(site.directory() + "/WiredTiger.turtle.set");
    checkpointed = store->checkpoint();
  };
  const bool amid_a_scan = GENERATE(false, true);
  if (amid_a_scan) {
    // Its transaction can neither go on then nor be rolled back.
    (void)(*reader)->scan(kv_table::heads, "", "", [&](std::string_view, std::string_view) {
      std::thread(fail_checkpoint).join();
      return false;
    });
  } else {
    fail_checkpoint();
  }
  REQUIRE_FALSE(checkpointed);
  CHECK(checkpointed.error().code == errc::io);
  const auto cause = store->stopped();
  REQUIRE(cause);
  CHECK(cause->message == checkpointed.error().message);
  for (const auto& later : {store->apply(batch_of(1, seq_no{21}), seq_no{21}).error(),
                            (*reader)->get(kv_table::heads, "key").error()}) {
    CHECK(later.code == errc::io);
    CHECK(later.message.find(cause->message) != std::string::npos);
  }
  reader->reset();
  store.reset(); // and waits for no transaction
  auto again = open_wiredtiger_store(site.directory(), {});
  REQUIRE_FALSE(again);
  CHECK(again.error().code == errc::corrupt);
}

TEST_CASE("a long run with stable seqs that keep up stays small", "[wiredtiger]") {
  // More is written than may stay unevicted in the cache: a held reader or standing timestamps that
  // pinned old versions would stall this.
  temporary_directory root;
  auto store = open_wiredtiger_store(root.path(), {.cache_bytes = 8ULL << 20});
  REQUIRE(store);
  dice roll(9);
  auto held = (*store)->reader();
  REQUIRE(held);
  for (std::uint64_t s = 1; s <= 1000; ++s) {
    std::vector<kv_write> writes;
    for (int i = 0; i < 4; ++i)
      writes.push_back({kv_table::heads, std::to_string(roll.below(5000)), roll.bytes(1000)});
    REQUIRE((*store)->apply(writes, seq_no{s}));
    REQUIRE((*store)->set_stable(seq_no{s}));
    REQUIRE((*held)->first(kv_table::heads, "5", ""));
  }
  REQUIRE((*store)->checkpoint());
  held->reset();
  CHECK((*store)->verify());
}
