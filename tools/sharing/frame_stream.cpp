#include "tools/sharing/frame_stream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

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

} // namespace

frame_stream::~frame_stream() {
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
  ucred other{};
  socklen_t size = sizeof other;
  if (::getsockopt(socket_, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0)
    return broken("does not say whose it is");
  return other.uid;
}

} // namespace mneme::sharing
