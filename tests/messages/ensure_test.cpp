// A broken invariant ends the process, and says where and what.
#include <array>
#include <csignal>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "messages/ensure.hpp"

namespace {

struct ended {
  int status = 0;
  std::string words; // what it left on standard error
};

/// Runs ensure(holds, …) in a process of its own, which ends with 7 where it passes.
ended child_of(bool holds) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit none{}; // no core file
    ::setrlimit(RLIMIT_CORE, &none);
    ::signal(SIGABRT, SIG_DFL);
    ::dup2(ends[1], STDERR_FILENO);
    mneme::ensure(holds, "the tea is hot");
    ::_exit(7);
  }
  ::close(ends[1]);
  ended e;
  std::array<char, 256> piece{};
  for (ssize_t n = 0; (n = ::read(ends[0], piece.data(), piece.size())) > 0;)
    e.words.append(piece.data(), static_cast<std::size_t>(n));
  ::close(ends[0]);
  REQUIRE(::waitpid(child, &e.status, 0) == child);
  return e;
}

} // namespace

TEST_CASE("what does not hold ends the process by a signal, with file and words") {
  const ended e = child_of(false);
  CHECK(WIFSIGNALED(e.status));
  CHECK(e.words.find("ensure_test.cpp:") != std::string::npos);
  CHECK(e.words.find("broken invariant: the tea is hot\n") != std::string::npos);
}

TEST_CASE("what holds costs nobody a word") {
  const ended e = child_of(true);
  REQUIRE(WIFEXITED(e.status));
  CHECK(WEXITSTATUS(e.status) == 7);
  CHECK(e.words.empty());
}
