#pragma once
/// One connection as cpp-httplib reads and writes it: bounded in bytes and in time.

#include <chrono>
#include <cstdint>
#include <string>

#include <httplib.h>

#include "tools/server/http/connection_table.hpp"
#include "tools/server/http/http_message.hpp"

namespace mneme::server {

class http_connection : public httplib::Stream {
public:
  enum class head : std::uint8_t {
    whole,
    closed,
    malformed,
    too_long,
    too_late,
    bad_length,
    too_large
  };

  /// Without a table: one that is only turned away.
  http_connection(int socket, const http_limits& limits, connection_table* table = nullptr,
                  connection_table::handle at = {})
      : socket_(socket), limits_(limits), table_(table), at_(at) {}

  /// Waits for the head of the next request, all of it.
  head next();
  /// The rest of the connection's bytes cannot be told apart any more, or the client was too slow.
  [[nodiscard]] bool is_spent() const { return is_broken_ || head_left_ + body_left_ > 0; }
  /// What was not read is thrown away until the client closes, for a while: closing with unread
  /// bytes would reset the connection, and a client that still sends would miss the answer.
  void linger();
  /// A whole response, whatever else the connection did.
  void send(const std::string& response);
  /// Sends what was held back.
  void flush();

  [[nodiscard]] bool is_readable() const override;
  [[nodiscard]] bool is_writable() const override { return !is_broken_; }
  /// The client sends nothing any more. One may wait for its answer all the same, but who hears
  /// events has nothing to close and wait for.
  [[nodiscard]] bool is_left() const;
  ssize_t read(char* out, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  [[nodiscard]] socket_t socket() const override { return socket_; }

private:
  using time_point = std::chrono::steady_clock::time_point;

  /// More bytes of the client into buffer_; false at the end, on an error or when it is too late.
  bool fill(time_point until);
  bool send_all(std::string_view bytes);
  bool await_room(time_point until);
  /// Judges the lines of a head, and finds the length of the body.
  head judge(std::string_view text);

  int socket_;
  const http_limits& limits_;
  connection_table* table_;
  connection_table::handle at_;
  std::string buffer_;         ///< received
  std::size_t used_ = 0;       ///< of it
  std::size_t head_left_ = 0;  ///< of the head under way
  std::size_t body_left_ = 0;  ///< of the body under way
  time_point request_until_{}; ///< the request must be here by then
  std::string held_;           ///< a response's head, to leave with its body
  bool is_late_ = false;
  bool is_broken_ = false;
};

} // namespace mneme::server
