#pragma once
/// Why the newest write found no room, until there is some.

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

/// Set by the committer; asked from any thread.
class full_disk {
public:
  /// So much must have become free before a write has been tried: who asks whether writes are taken
  /// may send none until he hears that they are.
  static constexpr std::uint64_t noted_bytes = 1ULL << 20;

  /// `free_bytes` as file_system::free_bytes() has them: absent where the system does not say, and
  /// only a write tells then.
  void refused(std::string why, std::optional<std::uint64_t> free_bytes) {
    ensure(!why.empty(), "what finds no room has a reason");
    const std::scoped_lock lock(guard_);
    why_ = std::move(why);
    free_then_ = free_bytes;
  }
  void taken() {
    const std::scoped_lock lock(guard_);
    why_.clear();
  }
  [[nodiscard]] bool is_full() const {
    const std::scoped_lock lock(guard_);
    return !why_.empty();
  }
  /// Empty: writes are taken, or one that comes now finds room, as far as can be told.
  [[nodiscard]] std::string why(std::optional<std::uint64_t> free_bytes) const {
    const std::scoped_lock lock(guard_);
    const bool has_room = free_bytes && free_then_ && *free_bytes >= *free_then_ + noted_bytes;
    return has_room ? std::string() : why_;
  }

private:
  mutable std::mutex guard_;
  std::string why_;
  std::optional<std::uint64_t> free_then_;
};

} // namespace mneme
