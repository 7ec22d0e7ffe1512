// A directory that goes however the process ends.
#include <filesystem>

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include "tools/command/scratch_directory.hpp"

using mneme::command::scratch_directory;

namespace {

void put_something_into(const std::string& path) {
  std::filesystem::create_directories(path + "/a/b");
}

} // namespace

TEST_CASE("a scratch directory is gone when its owner is") {
  std::string path;
  {
    const scratch_directory made("");
    path = made.path();
    REQUIRE(std::filesystem::is_directory(path));
    put_something_into(path);
  }
  CHECK(!std::filesystem::exists(path));
}

TEST_CASE("a scratch directory is gone when its process was killed") {
  int path_of[2];
  REQUIRE(::pipe(path_of) == 0);
  const auto child = ::fork();
  if (child == 0) {
    const scratch_directory made("");
    put_something_into(made.path());
    if (::write(path_of[1], made.path().data(), made.path().size()) < 0) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  ::close(path_of[1]);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  // The remover holds the other end as well: what it has not closed ends with it.
  std::string path;
  char byte = 0;
  while (::read(path_of[0], &byte, 1) == 1) path += byte;
  ::close(path_of[0]);
  REQUIRE(path.find("mneme-bench-") != std::string::npos);
  CHECK(!std::filesystem::exists(path));
}

TEST_CASE("no scratch directory is made where none can be") {
  CHECK(scratch_directory("/nowhere/at/all").path().empty());
}
