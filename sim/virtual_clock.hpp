#pragma once
/// The engine's clock in a simulation: stands still between the simulator's moves, and remembers
/// every value it ever showed, so that an oracle knows which ones a request could have read.

#include <algorithm>
#include <vector>

#include "mneme/seams.hpp"

namespace mneme::sim {

class virtual_clock final : public clock {
public:
  explicit virtual_clock(timestamp start) : shown_{start} {}

  [[nodiscard]] timestamp now() override { return shown_.back(); }
  void set(timestamp t) { shown_.push_back(t); }

  /// A point in the clock's history.
  [[nodiscard]] std::size_t mark() const { return shown_.size() - 1; }
  /// What it has shown since then, the value at the mark included.
  [[nodiscard]] std::vector<timestamp> shown_since(std::size_t mark) const {
    std::vector<timestamp> values(shown_.begin() + static_cast<std::ptrdiff_t>(mark), shown_.end());
    std::ranges::sort(values);
    const auto repeated = std::ranges::unique(values);
    values.erase(repeated.begin(), repeated.end());
    return values;
  }
  [[nodiscard]] bool has_shown_since(std::size_t mark, timestamp t) const {
    return std::find(shown_.begin() + static_cast<std::ptrdiff_t>(mark), shown_.end(), t)
           != shown_.end();
  }

private:
  std::vector<timestamp> shown_;
};

} // namespace mneme::sim
