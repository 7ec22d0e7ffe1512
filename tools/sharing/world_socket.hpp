#pragma once
/// The socket in a world's directory, by which processes of the same user reach the one that has
/// the world open. Its name is SOCKET; who holds the directory's lock may make it anew, so that one
/// which a killed process left means nothing.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tools/sharing/frame_stream.hpp"

namespace mneme::sharing {

/// What answers a request's bytes. Called from many threads.
using request_handler = std::function<std::string(std::string_view)>;

/// Answers who connects, until it goes: then requests that were sent are answered first.
class world_listener {
public:
  /// Precondition: the caller has the world open, and outlives this.
  static result<std::unique_ptr<world_listener>> listen(const std::string& directory,
                                                        request_handler handler);
  ~world_listener();
  world_listener(const world_listener&) = delete;
  world_listener& operator=(const world_listener&) = delete;

private:
  struct state;
  explicit world_listener(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

/// not_found where nobody listens.
result<frame_stream> connect_to(const std::string& directory);

} // namespace mneme::sharing
