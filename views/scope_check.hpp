#pragma once
/// Verifies a scope, once for each call that comes with one.

#include "messages/codec/entry.hpp"
#include "views/asker.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// Who asks: `actor`, or the grantee of the scope if there is one. In this order: no_key_resolver,
/// actor_mismatch (the actor is given and is not the grantee, or the granter is neither the scope's
/// actor nor the host), bad_schema, empty_include, scope_expired, unknown_agent, bad_signature,
/// snapshot_unknown, proof_mismatch. `at` is "scope" or below it.
result<asker> verify_asker(const std::optional<std::string>& actor,
                           const std::shared_ptr<const scope>& given, timestamp now,
                           const read_views& views);

/// What the journal keeps of somebody who asked for what the scope does not open.
scope_violation_payload violation_of(const scope& within, std::string target);

} // namespace mneme
