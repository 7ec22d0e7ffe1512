#include "tools/server/mcp/line_input.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace mneme::server {

line_input::line_input(int descriptor, std::size_t most_bytes)
    : descriptor_(descriptor), most_bytes_(most_bytes) {
  if (::pipe2(wake_, O_CLOEXEC) != 0) wake_[0] = wake_[1] = -1; // then it cannot be broken off
}

line_input::~line_input() {
  for (const int fd : wake_)
    if (fd >= 0) ::close(fd);
}

void line_input::stop() {
  const char byte = 0;
  if (wake_[1] >= 0 && ::write(wake_[1], &byte, 1) < 0) return;
}

bool line_input::fill() {
  for (;;) {
    pollfd waited[2] = {{.fd = descriptor_, .events = POLLIN, .revents = 0},
                        {.fd = wake_[0], .events = POLLIN, .revents = 0}};
    if (::poll(waited, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (waited[1].revents != 0) {
      is_stopped_ = true;
      return false;
    }
    char bytes[1U << 16];
    const ssize_t got = ::read(descriptor_, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }
}

/// What tells who wrote a line that is too long: its id stands at one of its ends.
void line_input::keep_ends(std::string_view piece) {
  constexpr std::size_t most_head = 1U << 16;
  constexpr std::size_t most_tail = 1U << 12;
  if (!skips_) {
    head_ = piece.substr(0, most_head);
    tail_.clear();
  }
  tail_ += piece.substr(piece.size() - std::min(piece.size(), most_tail));
  tail_.erase(0, tail_.size() - std::min(tail_.size(), most_tail));
}

line_input::outcome line_input::next(std::string& line) {
  for (;;) {
    const auto end = buffer_.find('\n', searched_);
    if (end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      searched_ = 0;
      if (!skips_ && line.size() <= most_bytes_) return outcome::line;
      keep_ends(line);
      skips_ = false;
      line = std::exchange(head_, {});
      return outcome::too_long;
    }
    searched_ = buffer_.size();
    if (searched_ > most_bytes_) {
      keep_ends(buffer_);
      skips_ = true;
      buffer_.clear();
      searched_ = 0;
    }
    if (!ended_ && fill()) continue;
    const bool is_last = !ended_ && !is_stopped_ && !skips_ && !buffer_.empty();
    ended_ = true;
    if (!is_last) return outcome::end;
    line = std::exchange(buffer_, {});
    return outcome::line;
  }
}

} // namespace mneme::server
