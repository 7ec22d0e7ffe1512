#pragma once
/// The time that a request of the line protocol may take, where the engine does not see to it:
/// while it is rendered, and in ops that come to more than one call.

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/protocol/session.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

/// Counts from its construction. Under a manual clock nothing is ever late, so that runs repeat.
class request_deadline {
public:
  /// Never late: for what has to be told whatever the time, as a change that was made.
  request_deadline() = default;
  request_deadline(session& s, std::optional<std::int64_t> ms)
      : ms_(s.clock() == nullptr ? ms : std::nullopt) {}

  /// Of a part, which has `ms` at most from where this one began.
  [[nodiscard]] request_deadline or_sooner(session& s, std::optional<std::int64_t> ms) const;
  /// For an answer that may tell of an entry: such a one is never late.
  [[nodiscard]] request_deadline unless_written(std::optional<seq_no> seq) const;

  /// deadline_exceeded once the time has passed.
  [[nodiscard]] result<void> check() const;
  /// The answer, if it is in time.
  [[nodiscard]] result<json> in_time(json answer) const;

private:
  std::optional<std::int64_t> ms_; // nullopt: never late
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

/// Each row, rendered while there is time.
template <class Row, class Print>
result<json> rows_json(const std::vector<Row>& rows, Print print, const request_deadline& time) {
  json list = json::array();
  for (const auto& row : rows) {
    if (auto ok = time.check(); !ok) return propagate(ok);
    list.push_back(print(row));
  }
  return list;
}

/// The key deadline_ms: out_of_range unless it is at least 1.
std::optional<std::int64_t> read_deadline(value_reader& in);

} // namespace mneme::protocol
