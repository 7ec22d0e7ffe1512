#include "tools/server/http/http_connection.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

namespace mneme::server {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view head_end = "\r\n\r\n";
constexpr std::size_t receive_bytes = 64U << 10;
constexpr milliseconds lingers_between{2000}; ///< pieces of what is not read any more

/// Waits for `events` until then; false when it is too late.
bool wait_for(int socket, short events, steady_clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd p{.fd = socket, .events = events, .revents = 0};
    const int got = ::poll(&p, 1, static_cast<int>(std::min<std::int64_t>(left, 1'000'000)));
    if (got > 0) return true;
    if (got < 0 && errno != EINTR) return false;
  }
}

bool same_text(std::string_view a, std::string_view lower) {
  return std::ranges::equal(a, lower, [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

void name_of(const sockaddr_storage& address, socklen_t size, std::string& ip, int& port) {
  char host[NI_MAXHOST] = {};
  char service[NI_MAXSERV] = {};
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof host, service,
                    sizeof service, NI_NUMERICHOST | NI_NUMERICSERV)
      != 0)
    return;
  ip = host;
  std::from_chars(service, service + std::char_traits<char>::length(service), port);
}

} // namespace

bool http_connection::fill(time_point until) {
  if (is_broken_) return false;
  if (!wait_for(socket_, POLLIN, until)) {
    is_late_ = true;
    return false;
  }
  if (used_ > 0) {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  const std::size_t before = buffer_.size();
  buffer_.resize(before + receive_bytes);
  ssize_t got = 0;
  do got = ::recv(socket_, buffer_.data() + before, receive_bytes, 0);
  while (got < 0 && errno == EINTR);
  buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got > 0;
}

http_connection::head http_connection::judge(std::string_view text) {
  bool has_length = false;
  bool has_host = false;
  for (auto line_end = text.find("\r\n"); line_end != std::string_view::npos;
       line_end = text.find("\r\n")) {
    const auto line = text.substr(0, line_end);
    text.remove_prefix(line_end + 2);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto name = line.substr(0, colon);
    // Whoever is before this server may read such a name as another one.
    if (name.ends_with(' ') || name.ends_with('\t')) return head::malformed;
    if (same_text(name, "host") && std::exchange(has_host, true)) return head::malformed;
    // A body of no known length would have to be read to the end before it can be refused.
    if (same_text(name, "transfer-encoding")) return head::bad_length;
    if (!same_text(name, "content-length")) continue;
    const auto digits = trimmed(line.substr(colon + 1));
    std::uint64_t length = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (has_length || digits.empty() || read.ptr != digits.data() + digits.size()
        || read.ec != std::errc{})
      return head::bad_length;
    has_length = true;
    if (length > limits_.body_bytes) return head::too_large;
    body_left_ = static_cast<std::size_t>(length);
  }
  return head::whole;
}

http_connection::head http_connection::next() {
  is_late_ = false;
  const auto idle_until = steady_clock::now() + milliseconds(limits_.idle_ms);
  bool has_begun = false;
  std::size_t end = std::string::npos;
  for (;;) {
    // Line ends between two requests are nobody's.
    while (used_ < buffer_.size() && !has_begun
           && (buffer_[used_] == '\r' || buffer_[used_] == '\n'))
      ++used_;
    if (!has_begun && used_ < buffer_.size()) {
      has_begun = true;
      request_until_ = steady_clock::now() + milliseconds(limits_.request_ms);
    }
    end = buffer_.find(head_end, used_);
    if (end != std::string::npos || buffer_.size() - used_ > limits_.header_bytes) break;
    if (!fill(has_begun ? request_until_ : idle_until))
      return has_begun && is_late_ ? head::too_late : head::closed;
  }
  if (end == std::string::npos || end - used_ > limits_.header_bytes) {
    head_left_ = buffer_.size() - used_;
    return head::too_long;
  }
  head_left_ = end + head_end.size() - used_;
  const head measured = judge(std::string_view(buffer_).substr(used_, head_left_));
  if (measured == head::whole && body_left_ == 0) table_->run(at_);
  return measured;
}

bool http_connection::is_readable() const {
  return head_left_ + body_left_ > 0 && !is_broken_;
}

bool http_connection::is_left() const {
  char next = 0;
  return ::recv(socket_, &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

ssize_t http_connection::read(char* out, std::size_t size) {
  std::size_t& left = head_left_ > 0 ? head_left_ : body_left_;
  size = std::min(size, left);
  if (size == 0) return 0;
  if (used_ == buffer_.size() && !fill(request_until_)) {
    is_broken_ = true;
    return -1;
  }
  size = std::min(size, buffer_.size() - used_);
  std::copy_n(buffer_.data() + used_, size, out);
  used_ += size;
  left -= size;
  if (head_left_ == 0 && body_left_ == 0) table_->run(at_);
  return static_cast<ssize_t>(size);
}

/// Whoever does not take its answer is waited for like one that sends nothing: its place is the
/// next one's.
bool http_connection::await_room(time_point until) {
  if (table_ == nullptr) return false;
  table_->await(at_);
  const bool has_room = wait_for(socket_, POLLOUT, until);
  table_->run(at_);
  return has_room;
}

bool http_connection::send_all(std::string_view bytes) {
  const auto until = steady_clock::now() + milliseconds(limits_.request_ms);
  while (!bytes.empty() && !is_broken_) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0)
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      is_broken_ = !await_room(until);
    else if (sent == 0 || errno != EINTR)
      is_broken_ = true;
  }
  return !is_broken_;
}

ssize_t http_connection::write(const char* bytes, std::size_t size) {
  const std::string_view piece(bytes, size);
  if (held_.empty() && piece.starts_with("HTTP/1.")) {
    held_ = piece;
    return static_cast<ssize_t>(size);
  }
  if (!held_.empty()) {
    held_.append(piece);
    flush();
    return is_broken_ ? -1 : static_cast<ssize_t>(size);
  }
  return send_all(piece) ? static_cast<ssize_t>(size) : -1;
}

void http_connection::flush() {
  if (!held_.empty()) send_all(held_);
  held_.clear();
}

void http_connection::send(const std::string& response) {
  held_.clear();
  send_all(response);
}

void http_connection::linger() {
  if (is_broken_ || table_ == nullptr || !table_->await(at_)) return;
  ::shutdown(socket_, SHUT_WR);
  // Whoever still sends is let finish, as long as a request may take.
  const auto until = steady_clock::now() + milliseconds(limits_.request_ms);
  do {
    buffer_.clear();
    used_ = 0;
  } while (fill(std::min(until, steady_clock::now() + lingers_between)));
}

void http_connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0)
    name_of(address, size, ip, port);
}

void http_connection::get_local_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0)
    name_of(address, size, ip, port);
}

} // namespace mneme::server
