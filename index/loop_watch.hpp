#pragma once
/// How a long loop over an index learns that nobody waits for its answer any more.

#include <cstdint>
#include <functional>

namespace mneme {

/// False: leave off; what was found so far is then a part, which nobody takes for the whole. Empty:
/// always on. Whoever gives one looks, when the loop has ended, whether it was cut short.
using goes_on_check = std::function<bool()>;

/// Asks every so many items.
class loop_watch {
public:
  explicit loop_watch(const goes_on_check& goes_on) : goes_on_(goes_on) {}

  /// May one more item be looked at? Never again after it said no.
  bool goes_on() {
    constexpr std::uint32_t items_per_look = 1024;
    if (++items_ % items_per_look == 0 && goes_on_ && !goes_on_()) is_over_ = true;
    return !is_over_;
  }
  [[nodiscard]] bool is_over() const { return is_over_; }

private:
  const goes_on_check& goes_on_;
  std::uint32_t items_ = 0;
  bool is_over_ = false;
};

} // namespace mneme
