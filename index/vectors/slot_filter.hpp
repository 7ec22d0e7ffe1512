#pragma once
/// Which vectors somebody asks for, by their slots.

#include <concepts>
#include <functional>
#include <utility>

#include "index/numbers.hpp"

namespace mneme {

/// Whether none of the slots [first, end) is asked for; a no may also mean that it is not known.
/// Who leaves some out accepts none of them.
using slots_left_out = std::function<bool(slot_no first, slot_no end)>;

class slot_filter {
public:
  /// Of who has a test and knows no more; therefore not explicit.
  template <std::predicate<slot_no> Accept>
  slot_filter(Accept accept, slots_left_out left_out = {})
      : accept_(std::move(accept)), left_out_(std::move(left_out)) {}

  [[nodiscard]] bool accepts(slot_no slot) const { return accept_(slot); }
  [[nodiscard]] const std::function<bool(slot_no)>& accept() const { return accept_; }
  /// Asked before any slot of a run of vectors.
  [[nodiscard]] bool leaves_out(slot_no first, slot_no end) const {
    return left_out_ && left_out_(first, end);
  }

private:
  std::function<bool(slot_no)> accept_;
  slots_left_out left_out_;
};

} // namespace mneme
