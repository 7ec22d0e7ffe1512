// What is written over files that nobody writes any more stays in memory, and is nobody else's.
// Of: storage/overlay_file_system.cpp, storage/lent_store.cpp
#include <catch2/catch.hpp>

#include <thread>

#include "storage/lent_store.hpp"
#include "storage/memory_file_system.hpp"
#include "storage/overlay_file_system.hpp"

using namespace mneme;

namespace {

struct two_overlays {
  std::shared_ptr<memory_file_system> disk = std::make_shared<memory_file_system>();
  std::shared_ptr<fixed_files> below;
  std::unique_ptr<overlay_file_system> a, b;

  two_overlays() {
    REQUIRE(disk->create_directories("d"));
    REQUIRE(replace_file(*disk, "d/one", "first"));
    REQUIRE(replace_file(*disk, "d/two", "second"));
    below = std::make_shared<fixed_files>(disk);
    a = std::make_unique<overlay_file_system>(below);
    b = std::make_unique<overlay_file_system>(below);
  }
};

} // namespace

TEST_CASE("what one overlay writes is seen by it alone", "[overlay]") {
  two_overlays all;
  auto early = all.a->open("d/one", open_mode::read);
  REQUIRE(early);
  CHECK(all.a->own_bytes() == 0);
  auto out = all.a->open("d/one", open_mode::read_write);
  REQUIRE(out);
  REQUIRE((*out)->sync());
  REQUIRE((*out)->truncate(5)); // as long as it is: nothing is written
  CHECK(all.a->own_bytes() == 0);
  REQUIRE((*out)->write_at(2, "RED"));
  CHECK(all.a->own_bytes() == 5);
  CHECK(*(*early)->read_at(0, 10) == "fiRED");
  CHECK(*read_file(*all.a, "d/one") == "fiRED");
  CHECK(*read_file(*all.b, "d/one") == "first");
  CHECK(*read_file(*all.disk, "d/one") == "first");
  REQUIRE((*out)->truncate(1));
  CHECK(*read_file(*all.a, "d/one") == "f");
  CHECK_FALSE((*early)->write_at(0, "x"));
}

TEST_CASE("names change in one overlay alone", "[overlay]") {
  two_overlays all;
  REQUIRE(all.a->rename("d/one", "d/two"));
  CHECK(*all.a->list("d") == std::vector<std::string>{"two"});
  CHECK(*read_file(*all.a, "d/two") == "first");
  CHECK_FALSE(*all.a->exists("d/one"));
  CHECK(all.a->open("d/one", open_mode::read).error().code == errc::not_found);
  CHECK(all.a->content("d/one").error().code == errc::not_found);
  CHECK(all.a->remove("d/one").error().code == errc::not_found);
  REQUIRE(replace_file(*all.a, "d/one", "anew"));
  CHECK(*all.a->list("d") == std::vector<std::string>{"one", "two"});
  REQUIRE(all.a->remove("d/two"));
  CHECK(*all.a->list("d") == std::vector<std::string>{"one"});
  CHECK(all.a->own_bytes() == 4);
  CHECK(*all.b->list("d") == std::vector<std::string>{"one", "two"});
  CHECK(*all.disk->list("d") == std::vector<std::string>{"one", "two"});
  CHECK(all.a->exchange("d", "e").error().code == errc::unsupported);
}

TEST_CASE("a file below has one name, whatever others it has there", "[overlay]") {
  two_overlays all;
  REQUIRE(all.disk->link("d/one", "d/three"));
  CHECK(*all.a->names_of("d/one") == 1);
  REQUIRE(all.a->link("d/one", "d/four"));
  CHECK(*all.a->names_of("d/one") == 2);
  auto out = all.a->open("d/four", open_mode::read_write);
  REQUIRE(out);
  REQUIRE((*out)->write_at(0, "F"));
  CHECK(*read_file(*all.a, "d/one") == "First");
  CHECK(*read_file(*all.a, "d/three") == "first");
  CHECK_FALSE(*all.disk->exists("d/four"));
}

TEST_CASE("content below counts as checked and may be changed", "[overlay]") {
  two_overlays all;
  auto found = all.a->content("d/one");
  REQUIRE(found);
  CHECK(found->is_checked);
  CHECK(found->source == nullptr);
  found->bytes[0] = 'X';
  CHECK(all.a->content("d/one")->view() == "first");
  REQUIRE(replace_file(*all.a, "d/one", "own"));
  found = all.a->content("d/one");
  REQUIRE(found);
  CHECK_FALSE(found->is_checked);
  CHECK(found->view() == "own");
}

TEST_CASE("a fault below is told and leaves the overlay as it was", "[overlay]") {
  two_overlays all;
  all.disk->fail_nth(io_operation::open, 1, true);
  CHECK(all.a->open("d/one", open_mode::read).error().code == errc::io);
  all.disk->clear_faults();
  auto out = all.a->open("d/one", open_mode::read_write);
  REQUIRE(out);
  all.disk->fail_nth(io_operation::read, 1, true);
  CHECK((*out)->write_at(0, "x").error().code == errc::io);
  CHECK((*out)->read_at(0, 1).error().code == errc::io);
  all.disk->clear_faults();
  CHECK(*read_file(*all.a, "d/one") == "first");
}

TEST_CASE("a file is read beside who writes its first bytes", "[overlay][concurrent]") {
  two_overlays all;
  auto in = all.a->open("d/one", open_mode::read);
  auto out = all.a->open("d/one", open_mode::read_write);
  REQUIRE((in && out));
  std::thread reader([&] {
    std::string to(5, '.');
    for (int i = 0; i < 1000; ++i) {
      const auto read = (*in)->read_into(0, to);
      if (!read || *read != 5 || to.substr(1) != "irst") std::abort();
    }
  });
  for (int i = 0; i < 1000; ++i) REQUIRE((*out)->write_at(0, i % 2 == 0 ? "F" : "f"));
  reader.join();
}

TEST_CASE("a lent store reads what is shared and writes nothing", "[overlay][store]") {
  const std::shared_ptr<kv_store> shared = make_memory_store(make_memory_disk());
  REQUIRE(shared->apply({{kv_table::heads, "a", "1"}, {kv_table::heads, "b", "2"}}, {3}));
  const auto lent = make_lent_store(shared, {3});
  CHECK(lent->recovered() == seq_no{3});
  auto reader = lent->reader();
  REQUIRE(reader);
  CHECK(*(*reader)->get(kv_table::heads, "a") == "1");
  CHECK((*(*reader)->first(kv_table::heads, "aa", {}))->second == "2");
  int rows = 0;
  REQUIRE((*reader)->scan(kv_table::heads, {}, {}, [&](auto, auto) { return ++rows > 0; }));
  CHECK(rows == 2);
  CHECK(lent->apply({}, {4}).error().code == errc::unsupported);
  CHECK(lent->checkpoint().error().code == errc::unsupported);
  CHECK(lent->set_stable({3}));
  CHECK_FALSE(lent->stopped());
}
