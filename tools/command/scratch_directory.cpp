#include "tools/command/scratch_directory.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <sys/wait.h>
#include <unistd.h>

namespace mneme::command {

namespace {

void remove_whole(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

/// What ends the other process (Ctrl-C goes to both) must not end this one before it is done.
[[noreturn]] void remove_at_end_of(int held, const std::string& path) {
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(ignored, SIG_IGN);
  char byte = 0;
  while (::read(held, &byte, 1) < 0 && errno == EINTR) {
  }
  remove_whole(path);
  ::_exit(0);
}

} // namespace

scratch_directory::scratch_directory(const std::string& parent) {
  std::error_code failed;
  const std::filesystem::path in =
      parent.empty() ? std::filesystem::temp_directory_path(failed) : std::filesystem::path(parent);
  std::string name = (in / "mneme-bench-XXXXXX").string();
  if (failed || ::mkdtemp(name.data()) == nullptr) return;
  path_ = name;
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return;
  remover_ = ::fork();
  if (remover_ == 0) {
    ::close(ends[1]);
    remove_at_end_of(ends[0], path_);
  }
  ::close(ends[0]);
  held_ = ends[1];
}

scratch_directory::~scratch_directory() {
  if (held_ >= 0) ::close(held_);
  if (remover_ > 0)
    ::waitpid(remover_, nullptr, 0);
  else if (!path_.empty())
    remove_whole(path_);
}

} // namespace mneme::command
