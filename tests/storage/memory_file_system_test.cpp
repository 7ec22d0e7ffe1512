// The model of a disk that the crash tests stand on: what was synced survives, what was not may
// survive in part and never as anything else; faults fail when they are told to.
#include "storage/memory_file_system.hpp"

#include <set>
#include <thread>

#include <catch2/catch.hpp>

using namespace mneme;

namespace {

std::unique_ptr<file> create(memory_file_system& fs, const std::string& path) {
  auto made = fs.open(path, open_mode::create);
  REQUIRE(made);
  return std::move(*made);
}

/// A disk with one durable file "/d/f" of `content`.
std::unique_ptr<file> durable_file(memory_file_system& fs, std::string_view content) {
  REQUIRE(fs.create_directories("/d"));
  auto f = create(fs, "/d/f");
  REQUIRE(f->write_at(0, content));
  REQUIRE(f->sync());
  REQUIRE(fs.sync_directory("/d"));
  return f;
}

} // namespace

TEST_CASE("synced bytes and names survive every crash; the rest goes with drop", "[memory_fs]") {
  memory_file_system fs;
  auto f = durable_file(fs, "kept");
  REQUIRE(f->write_at(0, "lost"));
  create(fs, "/d/g");
  fs.crash(1, crash_mode::drop);
  CHECK(fs.list("/d").value() == std::vector<std::string>{"f"});
  CHECK(read_file(fs, "/d/f").value() == "kept");
  // Handles from before the crash are dead.
  CHECK(f->write_at(0, "x").error().code == errc::io);
  CHECK(f->read_at(0, 1).error().code == errc::io);
  CHECK(f->sync().error().code == errc::io);
  CHECK(read_file(fs, "/d/f").value() == "kept");
}

TEST_CASE("with keep nothing is lost", "[memory_fs]") {
  memory_file_system fs;
  auto f = durable_file(fs, "old");
  REQUIRE(f->write_at(0, "new!"));
  REQUIRE(f->truncate(2));
  REQUIRE(fs.rename("/d/f", "/d/g"));
  fs.crash(1, crash_mode::keep);
  CHECK(fs.list("/d").value() == std::vector<std::string>{"g"});
  CHECK(read_file(fs, "/d/g").value() == "ne");
}

TEST_CASE("a file whose name was not synced may vanish though its bytes were", "[memory_fs]") {
  std::set<bool> seen;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    memory_file_system fs;
    REQUIRE(fs.create_directories("/d"));
    auto f = create(fs, "/d/f");
    REQUIRE(f->write_at(0, "bytes"));
    REQUIRE(f->sync());
    fs.crash(seed);
    const bool there = fs.exists("/d/f").value();
    seen.insert(there);
    if (there) CHECK(read_file(fs, "/d/f").value() == "bytes");
  }
  CHECK(seen.size() == 2);
}

TEST_CASE("a torn write is torn at sectors", "[memory_fs]") {
  const std::string old(5 * 512, 'o');
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    memory_file_system fs;
    auto f = durable_file(fs, old);
    REQUIRE(f->write_at(500, std::string(1600, 'n')));
    fs.crash(seed);
    const auto found = read_file(fs, "/d/f").value();
    REQUIRE(found.size() == old.size());
    std::string pattern;
    for (std::size_t at = 500; at < 2100;) {
      const std::size_t stop = std::min<std::size_t>(2100, (at / 512 + 1) * 512);
      const auto part = found.substr(at, stop - at);
      REQUIRE((part == std::string(part.size(), 'o') || part == std::string(part.size(), 'n')));
      pattern.push_back(part[0]);
      at = stop;
    }
    REQUIRE(found.substr(0, 500) == old.substr(0, 500));
    REQUIRE(found.substr(2100) == old.substr(2100));
    outcomes.insert(pattern);
  }
  CHECK(outcomes.contains("ooooo"));
  CHECK(outcomes.contains("nnnnn"));
  CHECK(outcomes.size() > 10);
}

TEST_CASE("the same disk and seed crash the same way; an image can be crashed again",
          "[memory_fs]") {
  memory_file_system fs;
  auto f = durable_file(fs, std::string(4096, 'o'));
  REQUIRE(f->write_at(100, std::string(3000, 'n')));
  create(fs, "/d/g");
  const disk_image before = fs.image();
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    memory_file_system one(before);
    memory_file_system two(before);
    one.crash(seed);
    two.crash(seed);
    CHECK(one.list("/d").value() == two.list("/d").value());
    CHECK(read_file(one, "/d/f").value() == read_file(two, "/d/f").value());
    outcomes.insert(read_file(one, "/d/f").value());
  }
  CHECK(outcomes.size() > 3);
  // The disk that the image was taken from went on by itself.
  CHECK(read_file(fs, "/d/f").value()[100] == 'n');
  CHECK(fs.exists("/d/g").value());
}

TEST_CASE("replace_file leaves the old or the new content after any crash", "[memory_fs]") {
  const std::string before(3000, 'o');
  const std::string after(2000, 'n');
  memory_file_system base;
  REQUIRE(base.create_directories("/d"));
  REQUIRE(replace_file(base, "/d/f", before));
  const disk_image start = base.image();
  bool finished = false;
  std::set<std::string> outcomes;
  for (std::uint64_t nth = 1; !finished; ++nth) {
    memory_file_system fs(start);
    fs.fail_nth(io_operation::any, nth, true);
    finished = replace_file(fs, "/d/f", after).has_value();
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      memory_file_system crashed(fs.image());
      crashed.crash(seed);
      const auto found = read_file(crashed, "/d/f");
      REQUIRE(found);
      REQUIRE((*found == before || *found == after));
      if (finished) REQUIRE(*found == after);
      outcomes.insert(*found);
    }
  }
  CHECK(outcomes.size() == 2);
}

TEST_CASE("a full disk takes what fits, and more when there is room", "[memory_fs]") {
  memory_file_system fs;
  auto f = durable_file(fs, "abc");
  fs.limit_bytes(fs.used_bytes() + 2);
  CHECK(fs.free_bytes("/d") == 2);
  CHECK(f->write_at(2, "CDEFG").error().code == errc::disk_full);
  CHECK(read_file(fs, "/d/f").value() == "abCDE");
  REQUIRE(f->write_at(0, "AB")); // where there are bytes already
  CHECK(f->write_at(9, "x").error().code == errc::disk_full);
  CHECK(read_file(fs, "/d/f").value() == "ABCDE");
  CHECK(check_room(fs, "/d", 1).error().code == errc::disk_full);
  REQUIRE(f->truncate(4));
  REQUIRE(check_room(fs, "/d", 1));
  CHECK(replace_file(fs, "/d/other", "much").error().code == errc::disk_full);
  CHECK_FALSE(fs.exists("/d/other.new").value()); // a part of it is no use
  fs.limit_bytes(std::nullopt);
  CHECK_FALSE(fs.free_bytes("/d"));
  REQUIRE(f->write_at(4, "EFG"));
  REQUIRE(replace_file(fs, "/d/other", "much"));
}

TEST_CASE("the nth operation fails, once or from then on", "[memory_fs]") {
  memory_file_system fs;
  auto f = durable_file(fs, "abc");
  fs.fail_nth(io_operation::write, 2);
  REQUIRE(f->write_at(0, "1"));
  CHECK(f->write_at(1, "2345").error().code == errc::io);
  CHECK(read_file(fs, "/d/f").value() == "123"); // half was written
  REQUIRE(f->write_at(1, "2"));
  fs.fail_nth(io_operation::sync, 1, true);
  REQUIRE(f->write_at(0, "x"));
  CHECK_FALSE(f->sync());
  CHECK_FALSE(f->sync());
  fs.clear_faults();
  CHECK(f->sync());
  fs.fail_nth(io_operation::open, 1);
  CHECK(fs.open("/d/f", open_mode::read).error().code == errc::io);
  CHECK(fs.open("/d/f", open_mode::read));
  fs.fail_nth(io_operation::directory, 1);
  CHECK(fs.sync_directory("/d").error().code == errc::io);
  const auto count = fs.operations(io_operation::any);
  fs.fail_nth(io_operation::any, 1);
  CHECK_FALSE(f->size());
  CHECK(fs.operations(io_operation::any) == count + 1);
}

TEST_CASE("a sync that failed once is not made good by the next", "[memory_fs]") {
  memory_file_system fs;
  auto f = durable_file(fs, "old");
  REQUIRE(f->write_at(0, "new"));
  fs.fail_nth(io_operation::sync, 1);
  REQUIRE_FALSE(f->sync());
  REQUIRE(f->sync());
  CHECK(read_file(fs, "/d/f").value() == "new");
  fs.crash(3, crash_mode::keep);
  CHECK(read_file(fs, "/d/f").value() == "old");
}

TEST_CASE("a disk that lies about syncs loses what it was given", "[memory_fs]") {
  memory_file_system fs;
  auto f = durable_file(fs, "old");
  fs.lie_about_sync(true);
  REQUIRE(f->write_at(0, "new"));
  REQUIRE(f->sync());
  fs.crash(1, crash_mode::drop);
  CHECK(read_file(fs, "/d/f").value() == "old");
}

TEST_CASE("locks are free after a crash", "[memory_fs]") {
  memory_file_system fs;
  REQUIRE(fs.create_directories("/d"));
  auto held = fs.lock("/d");
  REQUIRE(held);
  fs.crash(1);
  auto next = fs.lock("/d");
  REQUIRE(next);
  // Giving back the one from before does not free the new one.
  held->reset();
  CHECK(fs.lock("/d").error().code == errc::busy);
}

TEST_CASE("bytes can be looked at and damaged behind the system's back", "[memory_fs]") {
  memory_file_system fs;
  auto f = durable_file(fs, "abc");
  REQUIRE(f->write_at(0, "A"));
  CHECK(fs.testing_bytes("/d/f") == "Abc");
  CHECK(fs.testing_durable_bytes("/d/f") == "abc");
  fs.testing_set_bytes("/d/f", "rot");
  CHECK(f->read_at(0, 9).value() == "rot");
  CHECK(fs.testing_bytes("/d/none") == std::nullopt);
}

TEST_CASE("threads on files of their own and of one directory", "[memory_fs][threads]") {
  memory_file_system fs;
  REQUIRE(fs.create_directories("/d"));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&fs, t] {
      auto f = fs.open("/d/" + std::to_string(t), open_mode::create);
      for (std::uint64_t i = 0; f && i < 200; ++i) {
        (void)(*f)->write_at(i, "x");
        (void)(*f)->sync();
        (void)fs.list("/d");
      }
    });
  for (auto& t : threads) t.join();
  REQUIRE(fs.sync_directory("/d"));
  CHECK(fs.list("/d").value().size() == 4);
  for (int t = 0; t < 4; ++t)
    CHECK(fs.testing_durable_bytes("/d/" + std::to_string(t)) == std::string(200, 'x'));
}
