// How far something is: on a terminal alone, and gone when it is over.
#include <array>
#include <cstdio>
#include <string>

#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tools/command/progress_bar.hpp"

namespace {

/// What `draw` writes to standard error while that is `there`, read from `other`.
template <class Draw>
std::string shown(int there, int other, Draw draw) {
  std::fflush(stderr);
  const int kept = ::dup(STDERR_FILENO);
  REQUIRE(kept >= 0);
  REQUIRE(::dup2(there, STDERR_FILENO) >= 0);
  draw();
  std::fflush(stderr);
  ::dup2(kept, STDERR_FILENO);
  ::close(kept);
  REQUIRE(::write(there, "\n", 1) == 1); // so that there is something to read
  std::string text;
  std::array<char, 256> piece{};
  while (text.find('\n') == std::string::npos) {
    const ssize_t n = ::read(other, piece.data(), piece.size());
    REQUIRE(n > 0);
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
  return text.substr(0, text.find_first_of("\n"));
}

void half_way() {
  mneme::command::progress_bar bar("import");
  bar.show(1, 2, 12, "memories");
}

} // namespace

TEST_CASE("a bar on a terminal says how far, and wipes itself away") {
  int there = -1;
  int other = -1;
  REQUIRE(::openpty(&other, &there, nullptr, nullptr, nullptr) == 0);
  const std::string text = shown(there, other, half_way);
  CHECK(text.find("import [############............]  50% 12 memories, ") != std::string::npos);
  const std::string wiped = "\r\033[K";
  CHECK(text.rfind(wiped) > text.find("/s"));
  const std::string unknown = shown(there, other, [] {
    mneme::command::progress_bar bar("import");
    bar.show(0, 0, 3, "memories"); // nobody knows how many there are
  });
  CHECK(unknown.find("import 3 memories, ") != std::string::npos);
  ::close(there);
  ::close(other);
}

TEST_CASE("there is no bar in a pipe") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  CHECK(shown(ends[1], ends[0], half_way).empty());
  ::close(ends[0]);
  ::close(ends[1]);
}
