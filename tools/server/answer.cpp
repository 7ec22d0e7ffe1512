#include "tools/server/answer.hpp"

#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/error_text.hpp"

namespace mneme::server {

int status_of(errc code) noexcept {
  switch (code) {
  case errc::bad_json:
  case errc::bad_utf8:
  case errc::unknown_op:
  case errc::unknown_key:
  case errc::missing_key:
  case errc::wrong_type:
  case errc::bad_value:
  case errc::out_of_range:
  case errc::bad_uri:
  case errc::bad_id:
  case errc::bad_time:
  case errc::bad_vector:
    return 400;
  case errc::read_only:
  case errc::actor_mismatch:
  case errc::scope_violation:
  case errc::no_key_resolver:
  case errc::bad_schema:
  case errc::empty_include:
  case errc::scope_expired:
  case errc::unknown_agent:
  case errc::bad_signature:
  case errc::snapshot_unknown:
  case errc::proof_mismatch:
    return 403;
  case errc::not_found:
  case errc::erased:
  case errc::root_unavailable:
  case errc::seq_unavailable:
    return 404;
  case errc::already_exists:
  case errc::tombstoned:
  case errc::version_conflict:
  case errc::bad_transition:
  case errc::tag_assigned:
  case errc::anchor_taken:
  case errc::zone_full:
    return 409;
  case errc::trimmed:
    return 410;
  case errc::line_too_long:
    return 413;
  case errc::rate_limited:
    return 429;
  case errc::busy:
  case errc::behind:
  case errc::shutdown:
    return 503;
  case errc::deadline_exceeded:
    return 504;
  case errc::disk_full:
    return 507;
  case errc::corrupt:
  case errc::format_unsupported:
  case errc::io:
  case errc::outcome_unknown:
    return 500;
  default:
    return 422;
  }
}

int retry_after_s(int status) noexcept {
  return status == 429 || status == 503 ? 1 : 0;
}

answer done(json members) {
  return {200, protocol::ok_json(std::move(members))};
}

answer failed(const error& e) {
  return {status_of(e.code), protocol::error_json(e)};
}

answer answer_of(result<json> outcome) {
  return outcome ? done(std::move(*outcome)) : failed(outcome.error());
}

answer refused(int status, std::string_view code, std::string_view message, std::string_view at) {
  json body{{"code", code}, {"message", protocol::error_text(message)}};
  if (!at.empty()) body["at"] = protocol::error_text(at);
  return {status, {{"ok", false}, {"error", std::move(body)}}};
}

bool is_ok(const answer& a) noexcept {
  return a.status == 200;
}

} // namespace mneme::server
