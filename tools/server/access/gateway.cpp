#include "tools/server/access/gateway.hpp"

#include <algorithm>
#include <chrono>
#include <shared_mutex>

#include <nlohmann/json.hpp>

#include "tools/protocol/op_table.hpp"
#include "tools/protocol/session.hpp"
#include "tools/server/access/permission.hpp"
#include "tools/server/http/request_time.hpp"

namespace mneme::server {

namespace {

/// What a request is counted as: its op, if there is such a one.
std::string_view door_of(std::string_view op, const json& request) {
  if (op.empty() && request.is_object())
    if (const auto named = request.find("op"); named != request.end() && named->is_string())
      op = named->get_ref<const std::string&>();
  const auto* spec = protocol::find_op(op);
  return spec == nullptr ? "unknown" : spec->name;
}

/// Nothing comes to what is read beside a writer while it is waited for.
void wait_less(json& request) {
  constexpr std::int64_t most_ms = 200;
  if (!request.is_object()) return;
  const auto wait = request.find("wait_ms");
  constexpr std::int64_t allowed_ms = 60'000; // what is beyond is for the op to refuse
  if (wait == request.end() || !wait->is_number_integer() || *wait > allowed_ms) return;
  *wait = std::min(wait->get<std::int64_t>(), most_ms);
}

} // namespace

std::shared_lock<std::shared_timed_mutex> gateway::hold() {
  return fresh_ != nullptr ? fresh_->hold() : std::shared_lock<std::shared_timed_mutex>();
}

result<world_stats> gateway::stats() {
  const auto held = hold();
  return target_.stats();
}

result<std::string> gateway::metrics_text() {
  const auto held = hold();
  return counts_.text(target_, directory_);
}

answer gateway::answer_to(const client& who, std::string_view op, json request,
                          const std::optional<error>& oversized) {
  // A request must not end the server, whatever it meets: no memory, or a bug.
  try {
    const auto held = hold();
    if (fresh_ != nullptr) wait_less(request);
    client narrowed = who;
    narrowed.read_only = who.read_only || fresh_ != nullptr;
    if (auto refusal = narrow(request, op, narrowed)) return std::move(*refusal);
    if (most_ms_ > 0) limit_time(request, op, most_ms_);
    protocol::session session(target_, sight_of(who));
    session.bound_answers(has_room_);
    answer answered = answer_of(op.empty() ? session.run(request, oversized)
                                           : session.run(op, std::move(request), oversized));
    withhold(answered.body, who);
    return answered;
  } catch (const std::exception&) {
    return failed({errc::io, "the server could not answer", {}});
  }
}

answer gateway::run(const client& who, std::string_view op, json request,
                    const std::optional<error>& oversized) {
  const auto started = std::chrono::steady_clock::now();
  const std::string_view door = door_of(op, request);
  ++counts_.running_requests;
  answer answered = answer_to(who, op, std::move(request), oversized);
  --counts_.running_requests;
  const auto took = std::chrono::steady_clock::now() - started;
  counts_.answered(door, answered.status,
                   std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
  return answered;
}

answer gateway::run_text(const client& who, std::string_view op, std::string_view text) {
  if (text.empty() && !op.empty()) return run(who, op, json::object());
  std::optional<error> oversized;
  auto request = protocol::parse_json(text, oversized);
  if (!request) {
    counts_.answered("unknown", status_of(request.error().code), 0);
    return failed(request.error());
  }
  return run(who, op, std::move(*request), oversized);
}

} // namespace mneme::server
