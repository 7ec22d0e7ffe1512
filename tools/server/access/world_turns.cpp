#include "tools/server/access/world_turns.hpp"

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace mneme::server {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{20};
constexpr std::chrono::milliseconds between_tries{1};

std::unexpected<error> taken() {
  return fail(errc::busy, "another program that has this world is changing it, and does not end: "
                          "try again later");
}

/// A lock of the directory itself: it needs no file, and ends with its process. Where the file
/// system has no such locks, threads take turns, and programs do not.
result<int> lock_folder(const std::string& path, clock::time_point until) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return folder;
  while (::flock(folder, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return folder;
    if (clock::now() > until) {
      ::close(folder);
      return taken();
    }
    std::this_thread::sleep_for(between_tries);
  }
  return folder;
}

} // namespace

world_turns::turn::turn(turn&& other) noexcept
    : here_(std::move(other.here_)), folder_(std::exchange(other.folder_, -1)) {
}

world_turns::turn::~turn() {
  if (folder_ >= 0) ::close(folder_);
}

result<world_turns::turn> world_turns::take() {
  const auto until = clock::now() + patience;
  std::unique_lock here(here_, until);
  if (!here.owns_lock()) return taken();
  if (directory_.empty()) return turn(std::move(here), -1);
  auto folder = lock_folder(directory_, until);
  if (!folder) return propagate(folder);
  return turn(std::move(here), *folder);
}

} // namespace mneme::server
