#include "tools/protocol/request_deadline.hpp"

#include <algorithm>

#include "query/deadline.hpp"

namespace mneme::protocol {

request_deadline request_deadline::or_sooner(session& s, std::optional<std::int64_t> ms) const {
  request_deadline part(s, ms);
  part.started_ = started_;
  if (ms_) part.ms_ = std::min(*ms_, part.ms_.value_or(*ms_));
  return part;
}

request_deadline request_deadline::unless_written(std::optional<seq_no> seq) const {
  return seq ? request_deadline() : *this;
}

result<void> request_deadline::check() const {
  const auto passed = std::chrono::steady_clock::now() - started_;
  if (ms_ && std::chrono::duration_cast<std::chrono::milliseconds>(passed).count() >= *ms_)
    return late();
  return {};
}

result<json> request_deadline::in_time(json answer) const {
  if (auto ok = check(); !ok) return propagate(ok);
  return answer;
}

std::optional<std::int64_t> read_deadline(value_reader& in) {
  const auto ms = in.integer("deadline_ms");
  if (ms && *ms <= 0)
    in.fail_key("deadline_ms", errc::out_of_range, "deadline_ms must be at least 1");
  return ms;
}

} // namespace mneme::protocol
