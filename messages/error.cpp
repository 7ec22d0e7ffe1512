#include "mneme/error.hpp"

#include <array>
#include <cstddef>

namespace mneme {

namespace {

/// In the order of the enum, which starts at 1.
constexpr std::array<std::string_view, static_cast<std::size_t>(errc::trimmed)> names = {
    "bad_json",
    "bad_utf8",
    "line_too_long",
    "unknown_op",
    "unknown_key",
    "missing_key",
    "wrong_type",
    "bad_value",
    "out_of_range",
    "bad_uri",
    "bad_id",
    "bad_time",
    "bad_vector",
    "dim_mismatch",
    "bad_interval",
    "missing_field",
    "limit_exceeded",
    "form_too_long",
    "not_found",
    "already_exists",
    "tombstoned",
    "erased",
    "no_op",
    "type_data_mismatch",
    "bad_transition",
    "version_conflict",
    "invalid_edge_type",
    "self_edge",
    "zero_id",
    "unbounded",
    "unsupported",
    "too_broad",
    "max_hops_exceeded",
    "bad_hops",
    "bad_field",
    "type_mismatch",
    "field_not_comparable",
    "field_unknown",
    "bad_regex",
    "no_embedder",
    "no_vector",
    "bad_stage",
    "empty_query",
    "bad_hashtags",
    "tag_assigned",
    "anchor_taken",
    "zone_full",
    "query_profile_error",
    "empty_citations",
    "too_many_citations",
    "rate_limited",
    "budget_unreachable",
    "budget_exceeded",
    "scope_violation",
    "no_key_resolver",
    "actor_mismatch",
    "bad_schema",
    "empty_include",
    "scope_expired",
    "unknown_agent",
    "bad_signature",
    "snapshot_unknown",
    "proof_mismatch",
    "root_unavailable",
    "seq_unavailable",
    "deadline_exceeded",
    "busy",
    "corrupt",
    "format_unsupported",
    "read_only",
    "io",
    "outcome_unknown",
    "shutdown",
    "disk_full",
    "behind",
    "trimmed",
};
static_assert(!names.back().empty(), "every code has a name");
static_assert(names[static_cast<std::size_t>(errc::not_found) - 1] == "not_found");
static_assert(names[static_cast<std::size_t>(errc::unbounded) - 1] == "unbounded");
static_assert(names[static_cast<std::size_t>(errc::busy) - 1] == "busy");

} // namespace

std::string_view to_string(errc code) noexcept {
  const auto index = static_cast<std::size_t>(code) - 1;
  return index < names.size() ? names[index] : std::string_view();
}

bool may_retry(errc code) noexcept {
  return code == errc::busy || code == errc::rate_limited || code == errc::deadline_exceeded
         || code == errc::disk_full || code == errc::behind;
}

} // namespace mneme
