#pragma once
/// The ops of agents: context, compact, load_compact, attest, tick. Precondition of what runs: the
/// shape was checked.

#include <span>

#include "mneme/tick.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

std::span<const key_shape> context_keys() noexcept;
std::span<const key_shape> compact_keys() noexcept;
std::span<const key_shape> load_compact_keys() noexcept;
std::span<const key_shape> attest_keys() noexcept;

result<context_request> read_context(const json& request, const json_path& at);
result<compact_request> read_compact(const json& request, const json_path& at);
result<attest_request> read_attest(const json& request, const json_path& at);

/// {tiers, tokens, budget_tokens, reachable_uris, at_seq}
result<json> context_json(const context_result& r, const request_deadline& time);
/// {kept, compacted, tokens, skipped, seq}
json compact_json(const compact_result& r);
/// {skipped, learned, weights, seq}
json attest_json(const attest_result& r);

result<json> run_context(session& s, const json& request);
result<json> run_compact(session& s, const json& request);
result<json> run_load_compact(session& s, const json& request);
result<json> run_attest(session& s, const json& request);

} // namespace mneme::protocol
