#include "messages/validate/validate_agents.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "messages/text/composed.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

result<void> check_step_name(const std::string& name, std::string_view key) {
  if (is_blank(name))
    return fail(errc::missing_field, std::string(key) + " must not be blank", std::string(key));
  if (!is_utf8(name))
    return fail(errc::bad_utf8, std::string(key) + " is not UTF-8", std::string(key));
  if (name.size() > max_step_name_bytes)
    return fail(errc::limit_exceeded,
                std::string(key) + " is over " + std::to_string(max_step_name_bytes) + " bytes",
                std::string(key));
  return {};
}

/// Of a step that is to be journaled; what was journaled before this was refused is still found.
result<void> check_new_step_name(const std::string& name, std::string_view key) {
  if (auto ok = check_step_name(name, key); !ok) return ok;
  if (const auto fault = name_fault(name); !fault.empty())
    return fail(errc::bad_value, std::string(fault), std::string(key));
  return {};
}

result<void> check_uris(const std::vector<std::string>& uris, std::string_view key) {
  if (uris.size() > max_compact_uris)
    return fail(errc::limit_exceeded,
                std::string(key) + " has at most " + std::to_string(max_compact_uris) + " uris",
                std::string(key));
  return {};
}

} // namespace

result<void> validate(const attest_request& r) {
  if (auto ok = check_new_step_name(r.intent_id, "intent_id"); !ok) return ok;
  if (r.cited.empty()) return fail(errc::empty_citations, "cite at least one memory", "cited");
  if (r.cited.size() > max_cited)
    return fail(errc::too_many_citations,
                "at most " + std::to_string(max_cited) + " memories are cited at once", "cited");
  if (to_string(r.outcome).empty())
    return fail(errc::bad_value, "outcome is success or failure", "outcome");
  if (!is_utf8(r.reason)) return fail(errc::bad_utf8, "reason is not UTF-8", "reason");
  if (r.reason.size() > max_free_text_bytes)
    return fail(errc::limit_exceeded,
                "reason is over " + std::to_string(max_free_text_bytes) + " bytes", "reason");
  return validate_acting(r.actor);
}

result<void> validate(const compact_request& r) {
  if (auto ok = check_new_step_name(r.intent_id, "intent_id"); !ok) return ok;
  if (auto ok = check_new_step_name(r.step_id, "step_id"); !ok) return ok;
  if (r.budget_tokens <= 0)
    return fail(errc::out_of_range, "budget_tokens must be at least 1", "budget_tokens");
  if (auto ok = check_uris(r.in_context, "in_context"); !ok) return ok;
  if (auto ok = check_uris(r.load_bearing, "load_bearing"); !ok) return ok;
  return validate_acting(r.actor);
}

result<void> validate(const load_compact_request& r) {
  if (auto ok = check_step_name(r.intent_id, "intent_id"); !ok) return ok;
  if (auto ok = check_step_name(r.step_id, "step_id"); !ok) return ok;
  return validate_actor(r.actor.value_or(""));
}

} // namespace mneme
