// What all file systems promise while nothing fails.
// Of: storage/posix_file_system.cpp, storage/file.cpp
#include <atomic>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "storage/file.hpp"
#include "storage/memory_file_system.hpp"
#include "storage/overlay_file_system.hpp"
#include "tests/storage/temporary_directory.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

struct posix_place {
  temporary_directory root;
  std::shared_ptr<file_system> fs = make_posix_file_system();
  [[nodiscard]] std::string dir() const { return root.path() + "/a/b"; }
};

struct memory_place {
  std::shared_ptr<file_system> fs = std::make_shared<memory_file_system>();
  [[nodiscard]] std::string dir() const { return "/a/b"; }
};

/// Over nothing.
struct overlay_place {
  std::shared_ptr<file_system> fs = std::make_shared<overlay_file_system>(
      std::make_shared<fixed_files>(std::make_shared<memory_file_system>()));
  [[nodiscard]] std::string dir() const { return "/a/b"; }
};

} // namespace

TEMPLATE_TEST_CASE("parts of a file that still grows are read into a reader's memory", "[file]",
                   posix_place, memory_place, overlay_place) {
  TestType place;
  auto& fs = *place.fs;
  REQUIRE(fs.create_directories(place.dir()));
  const std::string path = place.dir() + "/file";
  auto writer = fs.open(path, open_mode::create);
  REQUIRE(writer);
  auto reader = fs.open(path, open_mode::read);
  REQUIRE(reader);
  std::string to(5, '.');
  CHECK((*reader)->read_into(0, to).value() == 0);
  REQUIRE((*writer)->write_at(0, "hello"));
  (*reader)->expect(0, 5);
  CHECK((*reader)->read_into(0, to).value() == 5);
  CHECK(to == "hello");
  CHECK((*reader)->read_into(3, to).value() == 2);
  CHECK(to == "lollo");
  // Behind what was there, and behind what may be looked at without a read.
  for (const std::uint64_t far :
       {std::uint64_t{5}, std::uint64_t{10'000}, std::uint64_t{97} << 20}) {
    REQUIRE((*writer)->write_at(far, "again"));
    (*reader)->expect(far, 5);
    CHECK((*reader)->read_into(far, to).value() == 5);
    CHECK(to == "again");
  }
  CHECK((*reader)->read_into(std::uint64_t{98} << 20, to).value() == 0);
  REQUIRE((*writer)->write_at(0, "other"));
  CHECK((*reader)->read_into(0, to).value() == 5);
  CHECK(to == "other");
  // Who writes reads, too.
  CHECK((*writer)->read_into(5, to).value() == 5);
  CHECK(to == "again");
}

TEMPLATE_TEST_CASE("a file that is complete is read as before", "[file]", posix_place, memory_place,
                   overlay_place) {
  TestType place;
  auto& fs = *place.fs;
  REQUIRE(fs.create_directories(place.dir()));
  const std::string path = place.dir() + "/file";
  const bool is_looked_at_before = GENERATE(false, true);
  const std::uint64_t length = GENERATE(0U, 5U, 10'000U, 97U << 20);
  REQUIRE(fs.open(path, open_mode::create).value()->truncate(length));
  auto writer = fs.open(path, open_mode::read_write);
  REQUIRE(writer);
  if (length > 0) REQUIRE((*writer)->write_at(length - 5, "hello"));
  auto reader = fs.open(path, open_mode::read);
  REQUIRE(reader);
  std::string to(5, '.');
  if (is_looked_at_before) REQUIRE((*reader)->read_into(0, to));
  (*reader)->is_complete();
  (*reader)->is_complete();
  CHECK((*reader)->size().value() == length);
  CHECK((*reader)->read_into(length, to).value() == 0);
  CHECK((*reader)->read_into(length + 9, to).value() == 0);
  CHECK((*reader)->read_at(length, 5).value().empty());
  if (length == 0) return;
  REQUIRE((*reader)->read_into(length - 5, to).value() == 5);
  CHECK(to == "hello");
  CHECK((*reader)->read_into(length - 3, to).value() == 3);
  CHECK(to == "llolo");
  CHECK((*reader)->read_at(length - 4, 1'000'000).value() == "ello");
}

TEST_CASE("a file is completed beside who reads it", "[file][concurrent]") {
  posix_place place;
  REQUIRE(place.fs->create_directories(place.dir()));
  const std::string path = place.dir() + "/file";
  auto writer = place.fs->open(path, open_mode::create);
  REQUIRE(writer);
  auto opened = place.fs->open(path, open_mode::read);
  REQUIRE(opened);
  file& reader = **opened;
  constexpr std::uint64_t records = 2000;
  std::atomic<std::uint64_t> written{0};
  std::atomic<std::uint64_t> wrong{0};
  const auto read_all = [&] {
    std::string to(8, '.');
    for (std::uint64_t seen = 0; seen < records;) {
      seen = written.load(std::memory_order_acquire);
      for (std::uint64_t n = seen - std::min<std::uint64_t>(seen, 50); n < seen; ++n) {
        const auto count = reader.read_into(n * 8, to);
        if (!count || *count != 8 || to != fmt::format("{:08}", n)) ++wrong;
      }
    }
  };
  {
    const std::jthread one(read_all);
    const std::jthread other(read_all);
    for (std::uint64_t n = 0; n < records; ++n) {
      REQUIRE((*writer)->write_at(n * 8, fmt::format("{:08}", n)));
      if (n + 1 == records) reader.is_complete();
      written.store(n + 1, std::memory_order_release);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a file that is complete keeps no descriptor", "[file]") {
  const auto open_descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  posix_place place;
  REQUIRE(place.fs->create_directories(place.dir()));
  const std::string path = place.dir() + "/file";
  REQUIRE(place.fs->open(path, open_mode::create).value()->write_at(0, "hello"));
  const auto before = open_descriptors();
  auto reader = place.fs->open(path, open_mode::read);
  REQUIRE(reader);
  CHECK(open_descriptors() == before + 1);
  (*reader)->is_complete();
  CHECK(open_descriptors() == before);
  REQUIRE(place.fs->remove(path));
  CHECK((*reader)->read_at(0, 9).value() == "hello");
}

TEMPLATE_TEST_CASE("reading and writing at offsets", "[file]", posix_place, memory_place,
                   overlay_place) {
  TestType place;
  auto& fs = *place.fs;
  REQUIRE(fs.create_directories(place.dir()));
  REQUIRE(fs.create_directories(place.dir()));
  const std::string path = place.dir() + "/file";

  CHECK(fs.open(path, open_mode::read).error().code == errc::not_found);
  CHECK(fs.open(path, open_mode::read_write).error().code == errc::not_found);
  CHECK(fs.exists(path).value() == false);
  auto opened = fs.open(path, open_mode::create);
  REQUIRE(opened);
  auto& file = **opened;
  CHECK(fs.exists(path).value());
  CHECK(file.size().value() == 0);
  CHECK(file.read_at(0, 10).value().empty());
  REQUIRE(file.write_at(5, "hello"));
  CHECK(file.size().value() == 10);
  CHECK(file.read_at(0, 100).value() == std::string(5, '\0') + "hello");
  CHECK(file.read_at(6, 2).value() == "el");
  CHECK(file.read_at(10, 1).value().empty());
  CHECK(file.read_at(99, 1).value().empty());
  CHECK(file.read_at(0, std::size_t{1} << 40).value().size() == 10);
  REQUIRE(file.write_at(0, "HELLO"));
  REQUIRE(file.sync());
  REQUIRE(file.truncate(7));
  CHECK(file.read_at(0, 100).value() == "HELLOhe");
  REQUIRE(file.truncate(9));
  CHECK(file.read_at(5, 100).value() == std::string("he\0\0", 4));

  // A second handle sees the same bytes; opening to create keeps them.
  auto again = fs.open(path, open_mode::create);
  REQUIRE(again);
  CHECK((*again)->read_at(0, 5).value() == "HELLO");
  auto reading = fs.open(path, open_mode::read);
  REQUIRE(reading);
  CHECK_FALSE((*reading)->write_at(0, "x"));
  CHECK_FALSE((*reading)->truncate(0));
}

TEMPLATE_TEST_CASE("names in a directory", "[file]", posix_place, memory_place) {
  TestType place;
  auto& fs = *place.fs;
  const std::string dir = place.dir();
  CHECK(fs.list(dir).value().empty());
  CHECK_FALSE(fs.open(dir + "/x", open_mode::create));
  REQUIRE(fs.create_directories(dir + "/inner"));
  for (const char* name : {"b", "a", "B"}) REQUIRE(fs.open(dir + "/" + name, open_mode::create));
  CHECK(fs.list(dir).value() == std::vector<std::string>{"B", "a", "b"});
  REQUIRE(fs.rename(dir + "/a", dir + "/b"));
  CHECK(fs.list(dir).value() == std::vector<std::string>{"B", "b"});
  REQUIRE(fs.remove(dir + "/B"));
  CHECK(fs.remove(dir + "/B").error().code == errc::not_found);
  CHECK(fs.rename(dir + "/B", dir + "/c").error().code == errc::not_found);
  REQUIRE(fs.sync_directory(dir));
  CHECK(fs.list(dir).value() == std::vector<std::string>{"b"});
  CHECK(fs.create_directories(dir + "/b").error().code == errc::io);
  CHECK_FALSE(fs.sync_directory(dir + "/none"));
}

TEMPLATE_TEST_CASE("a file of two names is one file, until one of them is replaced", "[file]",
                   posix_place, memory_place, overlay_place) {
  TestType place;
  auto& fs = *place.fs;
  REQUIRE(fs.create_directories(place.dir()));
  REQUIRE(fs.create_directories(place.dir() + "/c"));
  const std::string one = place.dir() + "/one";
  const std::string other = place.dir() + "/c/other";
  CHECK(fs.link(one, other).error().code == errc::not_found);
  REQUIRE(replace_file(fs, one, "both"));
  CHECK(fs.names_of(one).value() == 1);
  REQUIRE(fs.link(one, other));
  CHECK(fs.link(one, other).error().code == errc::already_exists);
  CHECK(fs.names_of(one).value() == 2);
  CHECK(fs.names_of(other).value() == 2);
  auto out = fs.open(other, open_mode::read_write);
  REQUIRE(out);
  REQUIRE((*out)->write_at(0, "B"));
  CHECK(read_file(fs, one).value() == "Both");
  REQUIRE(replace_file(fs, one, "mine"));
  CHECK(read_file(fs, other).value() == "Both");
  CHECK(fs.names_of(other).value() == 1);
  REQUIRE(fs.remove(one));
  CHECK(fs.names_of(one).error().code == errc::not_found);
}

TEMPLATE_TEST_CASE("two directories change their names, and their locks stay held", "[file]",
                   posix_place, memory_place) {
  TestType place;
  auto& fs = *place.fs;
  const std::string one = place.dir() + "/one";
  const std::string other = place.dir() + "/other";
  REQUIRE(fs.create_directories(one + "/inside"));
  REQUIRE(fs.create_directories(other));
  REQUIRE(replace_file(fs, one + "/inside/file", "of one"));
  REQUIRE(replace_file(fs, other + "/file", "of other"));
  auto lock = fs.lock(one);
  REQUIRE(lock);
  REQUIRE(fs.exchange(one, other));
  CHECK(read_file(fs, other + "/inside/file").value() == "of one");
  CHECK(read_file(fs, one + "/file").value() == "of other");
  CHECK(!fs.exists(one + "/inside/file").value());
  CHECK(fs.lock(other).error().code == errc::busy);
  CHECK(fs.lock(one));
  lock->reset();
  CHECK(fs.lock(other));
  CHECK(!fs.exchange(one, place.dir() + "/missing"));
}

TEMPLATE_TEST_CASE("replacing and reading whole files", "[file]", posix_place, memory_place,
                   overlay_place) {
  TestType place;
  auto& fs = *place.fs;
  REQUIRE(fs.create_directories(place.dir()));
  const std::string path = place.dir() + "/file";
  CHECK(read_file(fs, path).error().code == errc::not_found);
  REQUIRE(replace_file(fs, path, "first, and longer"));
  CHECK(read_file(fs, path).value() == "first, and longer");
  // One left over from a crash does not show through.
  auto left = fs.open(path + ".new", open_mode::create);
  REQUIRE(left);
  REQUIRE((*left)->write_at(0, std::string(100, 'x')));
  REQUIRE(replace_file(fs, path, "second"));
  CHECK(read_file(fs, path).value() == "second");
  CHECK(fs.list(place.dir()).value() == std::vector<std::string>{"file"});
  REQUIRE(replace_file(fs, path, ""));
  CHECK(read_file(fs, path).value().empty());
}

TEMPLATE_TEST_CASE("content stays as it was found, and is its holder's own", "[file]", posix_place,
                   memory_place, overlay_place) {
  TestType place;
  auto& fs = *place.fs;
  REQUIRE(fs.create_directories(place.dir()));
  const std::string path = place.dir() + "/file";
  CHECK(fs.content(path).error().code == errc::not_found);
  REQUIRE(replace_file(fs, path, {"in ", "", "parts"}));
  auto found = fs.content(path);
  REQUIRE(found);
  CHECK(found->view() == "in parts");
  found->bytes[3] = 'P';
  CHECK(found->view() == "in Parts");
  CHECK(fs.content(path)->view() == "in parts");
  REQUIRE(replace_file(fs, path, "others"));
  CHECK(found->view() == "in Parts");
  REQUIRE(fs.remove(path));
  CHECK(found->view() == "in Parts");
  REQUIRE(replace_file(fs, path, ""));
  CHECK(fs.content(path)->view().empty());
}

TEMPLATE_TEST_CASE("one lock per directory, also within a process", "[file]", posix_place,
                   memory_place, overlay_place) {
  TestType place;
  auto& fs = *place.fs;
  REQUIRE(fs.create_directories(place.dir()));
  auto first = fs.lock(place.dir());
  REQUIRE(first);
  auto second = fs.lock(place.dir());
  REQUIRE_FALSE(second);
  CHECK(second.error().code == errc::busy);
  first->reset();
  CHECK(fs.lock(place.dir()).has_value());
}

TEST_CASE("another process gets busy with the owner's pid, and the lock ends with its process",
          "[file]") {
  posix_place place;
  REQUIRE(place.fs->create_directories(place.dir()));
  int to_child[2];
  int to_parent[2];
  REQUIRE((::pipe(to_child) == 0 && ::pipe(to_parent) == 0));
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto held = place.fs->lock(place.dir());
    char byte = held ? 'y' : 'n';
    if (::write(to_parent[1], &byte, 1) != 1) ::_exit(1);
    // Held until the parent has looked, and then never given back by hand.
    ::_exit(::read(to_child[0], &byte, 1) == 1 ? 0 : 1);
  }
  char byte = 0;
  REQUIRE(::read(to_parent[0], &byte, 1) == 1);
  REQUIRE(byte == 'y');
  auto refused = place.fs->lock(place.dir());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::busy);
  CHECK(refused.error().message.find(std::to_string(child)) != std::string::npos);
  REQUIRE(::write(to_child[1], &byte, 1) == 1);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(place.fs->lock(place.dir()).has_value());
  for (const int fd : {to_child[0], to_child[1], to_parent[0], to_parent[1]}) ::close(fd);
}

TEST_CASE("refusals of the operating system are io with its words", "[file]") {
  posix_place place;
  auto refused = place.fs->list("/proc/self/status");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::io);
  CHECK(refused.error().message.find("Not a directory") != std::string::npos);
}
