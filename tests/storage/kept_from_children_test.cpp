// A child of fork() has none of the descriptors that are kept from it, and holds no lock.

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/file.hpp"
#include "storage/kept_from_children.hpp"

using namespace mneme;

namespace {

/// What the child of a fork says, as its exit status.
template <class Question>
int in_child(Question ask) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(ask());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

int is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
}

} // namespace

TEST_CASE("a child has what is not kept from it, and nothing else") {
  const int kept = ::open("/dev/null", O_RDONLY);
  const int shared = ::open("/dev/null", O_RDONLY);
  {
    const kept_from_children guard(kept);
    CHECK(in_child([&] { return is_open(kept); }) == 0);
    CHECK(in_child([&] { return is_open(shared); }) == 1);
  }
  CHECK(in_child([&] { return is_open(kept); }) == 1);
  CHECK(is_open(kept) == 1);
  ::close(kept);
  ::close(shared);
}

TEST_CASE("a lock goes with who took it, whatever children live") {
  char name[] = "/tmp/mneme-lock-XXXXXX";
  REQUIRE(::mkdtemp(name) != nullptr);
  const auto files = make_posix_file_system();
  auto lock = files->lock(name);
  REQUIRE(lock);
  int ends[2] = {};
  int begun[2] = {};
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::pipe(begun) == 0);
  char byte = 0;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[1]);
    if (::write(begun[1], "x", 1) != 1) ::_exit(1);
    const auto got = ::read(ends[0], &byte, 1); // when the other end is closed
    ::_exit(got == 0 ? 0 : 1);
  }
  REQUIRE(::read(begun[0], &byte, 1) == 1); // it has closed what it does not keep
  CHECK(files->lock(name).error().code == errc::busy);
  lock->reset();
  CHECK(files->lock(name));
  ::close(ends[1]);
  CHECK(::waitpid(child, nullptr, 0) == child);
  for (const int fd : {ends[0], begun[0], begun[1]}) ::close(fd);
  REQUIRE(files->remove(std::string(name) + "/LOCK"));
  ::rmdir(name);
}
