#pragma once
/// The time that a request gives for its answer. It is counted on the stopwatch of the host; where
/// there is none, as in deterministic runs, nothing is ever late.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "index/loop_watch.hpp"
#include "mneme/error.hpp"
#include "views/read_views.hpp"

namespace mneme {

inline constexpr std::int64_t ns_per_ms = 1'000'000;

/// deadline_exceeded: what answers come to that are late.
std::unexpected<error> late();

class deadline {
public:
  /// Never.
  deadline() = default;
  /// `ms` from now on; without one, or without a stopwatch, never.
  deadline(std::function<std::int64_t()> stopwatch, std::optional<std::int64_t> ms);

  [[nodiscard]] bool is_set() const { return ms_.has_value(); }
  /// What is left of it in ms, for who goes on in a request of one's own; at least 1.
  [[nodiscard]] std::optional<std::int64_t> left_ms() const;
  /// `late` once the time has passed.
  [[nodiscard]] result<void> check() const;
  /// The same for a loop over rows, which looks at the clock every so many of them; `row` counts.
  [[nodiscard]] result<void> check(std::uint64_t row) const {
    constexpr std::uint64_t rows_per_look = 1024;
    if (row % rows_per_look != rows_per_look - 1) return {};
    return check();
  }

  /// The same where some more are looked at together; `looked_at` counts those since the last look
  /// at the clock.
  [[nodiscard]] result<void> check_for(std::size_t more, std::size_t& looked_at) const {
    constexpr std::size_t rows_per_look = 1024;
    looked_at += more;
    if (looked_at < rows_per_look) return {};
    looked_at = 0;
    return check();
  }

  /// The same for a loop of an index, whose answer then counts for nothing.
  [[nodiscard]] goes_on_check goes_on() const {
    if (!is_set()) return {};
    return [this] { return check().has_value(); };
  }

private:
  std::function<std::int64_t()> stopwatch_;
  std::optional<std::int64_t> ms_;
  std::int64_t started_ns_ = 0;
};

/// A reader of the store that is late when the request is: whatever reads records through it looks
/// at the clock before each, and within long scans. `time` outlives it.
result<std::unique_ptr<kv_reader>> reader_in_time(const read_views& views, const deadline& time);

} // namespace mneme
