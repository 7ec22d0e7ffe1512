#pragma once
/// How many streams a server has open at once: each keeps a connection and its thread.

#include <atomic>
#include <cstddef>
#include <memory>

namespace mneme::server {

class stream_places {
public:
  /// At most so many at once.
  explicit stream_places(std::size_t most) : most_(most) {}

  /// One of them, which is given back with its last owner; null: all are taken.
  std::shared_ptr<void> take() {
    if (open_.fetch_add(1) >= most_) {
      --open_;
      return nullptr;
    }
    return {this, [](stream_places* of) { --of->open_; }};
  }
  /// Streams end soon, from now on.
  void stop() { is_over_ = true; }
  [[nodiscard]] bool are_over() const { return is_over_; }

private:
  std::size_t most_;
  std::atomic<std::size_t> open_{0};
  std::atomic<bool> is_over_{false};
};

} // namespace mneme::server
