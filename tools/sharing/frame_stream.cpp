#include "tools/sharing/frame_stream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <fmt/format.h>

namespace mneme::sharing {

namespace {

constexpr std::size_t length_bytes = 4;

std::unexpected<error> broken(const char* what) {
  return fail(errc::io, std::string("the connection to who has the world open ") + what);
}

std::array<char, length_bytes> length_of(std::string_view message) {
  const auto size = static_cast<std::uint32_t>(message.size());
  return {static_cast<char>(size >> 24), static_cast<char>(size >> 16),
          static_cast<char>(size >> 8), static_cast<char>(size)};
}

ucred credentials_of(int socket) {
  ucred other{.pid = 0, .uid = static_cast<uid_t>(-1), .gid = static_cast<gid_t>(-1)};
  socklen_t size = sizeof other;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0) other.pid = 0;
  return other;
}

pid_t other_process(int socket) {
  return credentials_of(socket).pid;
}

/// By the third word of its line in /proc, behind the name in brackets.
bool is_stopped(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(in, line);
  const auto name_end = line.rfind(") ");
  return name_end != std::string::npos && line.compare(name_end + 2, 1, "T") == 0;
}

} // namespace

frame_stream::frame_stream(int socket)
    : socket_(socket), kept_(std::make_unique<kept_from_children>(socket)) {
}

void frame_stream::look_whether_stopped() const {
  const timeval between_looks{.tv_sec = 2, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &between_looks, sizeof between_looks);
}

frame_stream::~frame_stream() {
  kept_.reset(); // before the number is another file's
  if (socket_ >= 0) ::close(socket_);
}

result<void> frame_stream::send(std::string_view message) {
  if (message.size() > UINT32_MAX)
    return fail(errc::limit_exceeded, "a message through a world's socket has at most 4 GiB");
  const auto length = length_of(message);
  const std::array<std::string_view, 2> parts{std::string_view(length.data(), length.size()),
                                              message};
  for (std::string_view part : parts)
    while (!part.empty()) {
      const ssize_t sent = ::send(socket_, part.data(), part.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return broken("broke off");
      part.remove_prefix(static_cast<std::size_t>(sent));
    }
  return {};
}

result<void> frame_stream::receive_into(char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(socket_, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (const auto pid = other_process(socket_); pid > 0 && is_stopped(pid))
        return fail(errc::busy, fmt::format("the world is open in process {}, which is stopped: "
                                            "let it go on (fg, kill -CONT), or end it",
                                            pid));
      continue;
    }
    if (got <= 0) return broken("ended");
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return {};
}

result<std::string> frame_stream::receive(std::size_t most) {
  std::array<unsigned char, length_bytes> length{};
  if (auto ok = receive_into(reinterpret_cast<char*>(length.data()), length.size()); !ok)
    return propagate(ok);
  std::size_t size = 0;
  for (const unsigned char byte : length) size = size << 8 | byte;
  if (size > most) return broken("has a message that is too long");
  // Grown as it comes: a length alone takes no memory.
  constexpr std::size_t step = 1U << 20;
  std::string message;
  while (message.size() < size) {
    const std::size_t before = message.size();
    message.resize(std::min(size, before + step));
    if (auto ok = receive_into(&message[before], message.size() - before); !ok)
      return propagate(ok);
  }
  return message;
}

bool frame_stream::is_spent() const {
  pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, 0) != 0;
}

void frame_stream::take_no_more() const {
  ::shutdown(socket_, SHUT_RD);
}

void frame_stream::end() const {
  ::shutdown(socket_, SHUT_RDWR);
}

result<unsigned> frame_stream::user() const {
  const ucred other = credentials_of(socket_);
  if (other.pid == 0) return broken("does not say whose it is");
  return other.uid;
}

} // namespace mneme::sharing
