// What stands in front of a store's files beyond what every store promises: when they are opened,
// when rows go to them, and what is in memory.
#include <catch2/catch.hpp>

#include "storage/key_layout.hpp"
#include "tests/storage/kv_model.hpp"
#include "tests/storage/store_sites.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

struct late_files {
  std::shared_ptr<memory_disk> disk = make_memory_disk();
  int opened = 0;

  buffered_store::opener opener() {
    return [this]() -> result<std::unique_ptr<kv_store>> {
      ++opened;
      return make_memory_store(disk);
    };
  }
};

std::vector<kv_write> one(std::string key, std::string value) {
  return {{kv_table::heads, std::move(key), std::move(value)}};
}

} // namespace

TEST_CASE("files without rows are not opened before they get some") {
  late_files files;
  buffered_store store(files.opener(), {.at = {}, .is_empty = true});
  for (std::uint64_t s = 1; s <= 30; ++s) REQUIRE(store.apply(batch_of(1, seq_no{s}), seq_no{s}));
  CHECK(contents_of(store) == contents_at(1, seq_no{30}));
  CHECK(files.opened == 0);
  CHECK_FALSE(store.has_flushed());
  REQUIRE(store.set_stable({20}));
  REQUIRE(store.checkpoint());
  CHECK(files.opened == 1);
  CHECK(store.has_flushed());
  CHECK(contents_of(store) == contents_at(1, seq_no{30}));
  CHECK(contents_of(*make_memory_store(files.disk)) == contents_at(1, seq_no{20}));
}

TEST_CASE("files are opened by the first read that memory does not answer") {
  late_files files;
  {
    buffered_store store(files.opener(), {.at = {}, .is_empty = true});
    REQUIRE(store.apply(one("old", "1"), {1}));
    REQUIRE(store.set_stable({1}));
    REQUIRE(store.checkpoint());
  }
  files.opened = 0;
  buffered_store store(files.opener(), {.at = {1}, .is_empty = false});
  REQUIRE(store.apply(one("new", "2"), {2}));
  auto reader = store.reader();
  REQUIRE(reader);
  CHECK((*reader)->get(kv_table::heads, "new").value() == "2");
  CHECK(files.opened == 0);
  CHECK((*reader)->get(kv_table::heads, "old").value() == "1");
  CHECK(files.opened == 1);
  CHECK((*reader)->get(kv_table::heads, "neither").value() == std::nullopt);
  CHECK(files.opened == 1);
}

TEST_CASE("the newest row of a prefix is the one in memory, or else that of the files") {
  late_files files;
  buffered_store store(files.opener(), {.at = {}, .is_empty = true});
  const auto key = [](std::uint64_t seq) { return "p" + keys::u64be(~seq); };
  for (std::uint64_t s = 1; s <= 9; ++s) {
    REQUIRE(store.apply(one(key(s), std::to_string(s)), {s}));
    REQUIRE(store.set_stable({s}));
    if (s % 4 == 0) REQUIRE(store.flush());
  }
  auto reader = store.reader();
  REQUIRE(reader);
  for (std::uint64_t at = 1; at <= 12; ++at) {
    const auto found = (*reader)->newest(kv_table::heads, "p", {at}).value();
    REQUIRE(found);
    CHECK(found->second == std::to_string(std::min<std::uint64_t>(at, 9)));
  }
  CHECK((*reader)->newest(kv_table::heads, "p", {0}).value() == std::nullopt);
  CHECK((*reader)->newest(kv_table::heads, "o", {9}).value() == std::nullopt);
}

TEST_CASE("a flush frees what the files have, and keeps what is not stable") {
  late_files files;
  buffered_store store(files.opener(), {.at = {}, .is_empty = true});
  REQUIRE(store.apply(one("a", std::string(1 << 20, 'a')), {1}));
  REQUIRE(store.set_stable({1}));
  REQUIRE(store.flush());
  CHECK(store.buffered_bytes() == 0);
  REQUIRE(store.apply(one("b", std::string(1 << 20, 'b')), {2}));
  REQUIRE(store.flush());
  CHECK(store.buffered_bytes() > 1 << 20);
  auto reader = store.reader();
  REQUIRE(reader);
  CHECK((*reader)->get(kv_table::heads, "b").value()->size() == 1 << 20);
  // A reader that has looked before keeps nothing that is gone.
  REQUIRE(store.set_stable({2}));
  REQUIRE(store.flush());
  CHECK(store.buffered_bytes() == 0);
  CHECK((*reader)->get(kv_table::heads, "b").value()->size() == 1 << 20);
}

TEST_CASE("many rows of few commits go to the files in portions, whole") {
  late_files files;
  buffered_store store(files.opener(), {.at = {}, .is_empty = true});
  std::vector<kv_write> rows;
  for (int i = 0; i < 20'000; ++i) rows.push_back({kv_table::edges, std::to_string(i), "x"});
  REQUIRE(store.apply(rows, {1}));
  REQUIRE(store.apply(one("k", "v"), {3}));
  REQUIRE(store.set_stable({3}));
  REQUIRE(store.checkpoint());
  const auto there = make_memory_store(files.disk);
  CHECK(there->recovered() == seq_no{3});
  auto reader = there->reader();
  CHECK(contents_of(**reader, kv_table::edges).size() == 20'000);
}

TEST_CASE("files that are further than was known are given nothing twice") {
  late_files files;
  const auto write_all = [&](seq_no known) {
    buffered_store store(files.opener(), {.at = known, .is_empty = false});
    for (std::uint64_t s = known.value + 1; s <= 40; ++s)
      REQUIRE(store.apply(batch_of(3, seq_no{s}), seq_no{s}));
    REQUIRE(store.set_stable({40}));
    REQUIRE(store.checkpoint());
    CHECK(contents_of(store) == contents_at(3, seq_no{40}));
  };
  write_all({0});
  write_all({25}); // the files are at 40
  CHECK(contents_of(*make_memory_store(files.disk)) == contents_at(3, seq_no{40}));
}

TEST_CASE("after files have taken a part they are given nothing more, and reads go on") {
  auto power = std::make_shared<bool>(true);
  class weak_files final : public kv_store {
  public:
    explicit weak_files(std::shared_ptr<bool> on) : on_(std::move(on)) {}
    result<std::unique_ptr<kv_reader>> reader() override { return below_->reader(); }
    result<void> apply(const std::vector<kv_write>& writes, seq_no commit) override {
      if (!*on_) return fail(errc::io, "no space");
      return below_->apply(writes, commit);
    }
    result<void> set_stable(seq_no stable) override { return below_->set_stable(stable); }
    result<void> checkpoint() override { return below_->checkpoint(); }
    [[nodiscard]] seq_no recovered() const override { return {}; }
    result<void> verify() override { return {}; }

  private:
    std::shared_ptr<bool> on_;
    std::unique_ptr<kv_store> below_ = make_memory_store(make_memory_disk());
  };
  buffered_store store(std::make_unique<weak_files>(power));
  for (std::uint64_t s = 1; s <= 20; ++s) {
    REQUIRE(store.apply(batch_of(9, seq_no{s}), seq_no{s}));
    REQUIRE(store.set_stable({s}));
  }
  *power = false;
  CHECK(store.flush().error().message == "no space");
  *power = true;
  CHECK(store.flush().error().message == "no space");
  CHECK(store.checkpoint().error().message == "no space");
  CHECK(contents_of(store) == contents_at(9, seq_no{20}));
  CHECK_FALSE(store.stopped());
}

TEST_CASE("files that cannot be opened stop the store, and everybody is told why") {
  buffered_store store(
      []() -> result<std::unique_ptr<kv_store>> { return fail(errc::corrupt, "no good"); },
      {.at = {5}, .is_empty = false});
  REQUIRE(store.apply(one("k", "v"), {6}));
  auto reader = store.reader();
  REQUIRE(reader);
  CHECK((*reader)->get(kv_table::heads, "k").value() == "v");
  CHECK_FALSE(store.stopped());
  CHECK((*reader)->get(kv_table::heads, "other").error().code == errc::corrupt);
  REQUIRE(store.stopped());
  CHECK(store.stopped()->message == "no good");
  CHECK((*reader)->get(kv_table::heads, "k").error().code == errc::corrupt);
  CHECK(store.apply(one("k", "w"), {7}).error().code == errc::corrupt);
  CHECK(store.reader().error().code == errc::corrupt);
}
