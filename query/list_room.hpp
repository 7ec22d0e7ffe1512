#pragma once
/// What the answers of one list may take together. They are counted in the order in which the list
/// is answered; the first one that has no room is refused, and all that come behind it: whoever
/// asked goes on from there.

#include <atomic>
#include <cstdint>

#include "views/answer_room.hpp"

namespace mneme {

class list_room {
public:
  explicit list_room(std::uint64_t most) : most_(most), room_(most, less) {}

  /// From one thread at a time.
  [[nodiscard]] result<void> take(std::uint64_t bytes) {
    if (is_full()) return refusal();
    auto ok = room_.take(bytes);
    if (!ok) full_.store(true, std::memory_order_release);
    return ok;
  }
  /// From any thread, as all below.
  [[nodiscard]] bool is_full() const { return full_.load(std::memory_order_acquire); }
  [[nodiscard]] std::unexpected<error> refusal() const {
    answer_room all(most_, less);
    (void)all.take(most_);
    auto full = all.take(1);
    return propagate(full);
  }

  /// An answer that is there before its turn, and one whose turn has come.
  void came_early(std::uint64_t bytes) { early_.fetch_add(bytes, std::memory_order_relaxed); }
  void had_turn(std::uint64_t bytes) { early_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// May more be worked out before its turn?
  [[nodiscard]] bool has_room_ahead() const {
    return early_.load(std::memory_order_relaxed) <= most_;
  }

private:
  static constexpr std::string_view less = "ask for fewer at once; what was answered before stands";

  std::uint64_t most_;
  answer_room room_;
  std::atomic<bool> full_{false};
  std::atomic<std::uint64_t> early_{0};
};

} // namespace mneme
