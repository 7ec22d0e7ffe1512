#pragma once
/// The time that a request of the line protocol may take, where the engine does not see to it:
/// while it is rendered, and in ops that come to more than one call.

#include <chrono>
#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "tools/protocol/session.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

/// Counts from its construction. Under a manual clock nothing is ever late, so that runs repeat.
class request_deadline {
public:
  request_deadline(session& s, std::optional<std::int64_t> ms)
      : ms_(s.clock() == nullptr ? ms : std::nullopt) {}

  /// deadline_exceeded once the time has passed.
  [[nodiscard]] result<void> check() const;
  /// The answer, if it is in time.
  [[nodiscard]] result<json> in_time(json answer) const;

private:
  std::optional<std::int64_t> ms_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

/// The key deadline_ms: out_of_range unless it is at least 1.
std::optional<std::int64_t> read_deadline(value_reader& in);

} // namespace mneme::protocol
