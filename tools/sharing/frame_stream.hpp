#pragma once
/// Messages over a connected socket: four bytes of length, most significant first, and so many
/// bytes. One reader and one writer at a time.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "mneme/error.hpp"
#include "storage/kept_from_children.hpp"

namespace mneme::sharing {

/// Of a request, with what stands around it. Answers may be longer.
inline constexpr std::size_t max_request_bytes = 17U << 20;

class frame_stream {
public:
  /// Owns the socket.
  explicit frame_stream(int socket);
  ~frame_stream();
  frame_stream(frame_stream&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), kept_(std::move(other.kept_)) {}
  frame_stream& operator=(frame_stream&& other) noexcept {
    std::swap(socket_, other.socket_);
    std::swap(kept_, other.kept_);
    return *this;
  }

  /// io where it did not go out whole: then the other side has no message of it.
  result<void> send(std::string_view message);
  /// io at its end, in the middle of a message, and for one of more than `most` bytes.
  result<std::string> receive(std::size_t most);

  /// From now on receive() is busy where it waits for a process that was stopped (SIGSTOP, Ctrl-Z).
  void look_whether_stopped() const;
  /// Whether the other side has ended it, or says something that nobody asked for.
  [[nodiscard]] bool is_spent() const;
  /// What was sent is still received, then comes the end. From any thread.
  void take_no_more() const;
  /// The other side is told that nothing comes any more.
  void end() const;
  /// The user whose process is at the other end.
  [[nodiscard]] result<unsigned> user() const;

private:
  result<void> receive_into(char* to, std::size_t size);

  int socket_;
  std::unique_ptr<kept_from_children> kept_; ///< else the other side would not see its end
};

} // namespace mneme::sharing
