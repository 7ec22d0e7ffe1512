#include "views/scope_check.hpp"

#include <algorithm>

#include "journal/proof.hpp"
#include "messages/codec/entry.hpp"
#include "messages/signature.hpp"
#include "messages/validate/validate.hpp"
#include "views/manifests.hpp"

namespace mneme {

namespace {

result<void> check_proofs(const scope& s, const manifest& m) {
  if (!s.proofs) return {};
  auto ids = s.include.ids;
  std::ranges::sort(ids);
  const auto repeated = std::ranges::unique(ids);
  ids.erase(repeated.begin(), repeated.end());
  if (s.proofs->size() != ids.size())
    return fail(errc::proof_mismatch,
                "there are " + std::to_string(s.proofs->size()) + " proofs for "
                    + std::to_string(ids.size()) + " ids",
                "scope.proofs");
  const digest& root = m.state_roots[static_cast<std::size_t>(state_namespace::memories)];
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const tree_proof& p = (*s.proofs)[i];
    if (p.path != state_path(state_namespace::memories, ids[i].raw()) || !p.value_hash
        || !verify_tree_proof(p, root))
      return fail(errc::proof_mismatch, "this proof does not show " + to_string(ids[i]),
                  "scope.proofs[" + std::to_string(i) + "]");
  }
  return {};
}

} // namespace

result<asker> verify_asker(const std::optional<std::string>& actor,
                           const std::shared_ptr<const scope>& given, timestamp now,
                           const read_views& views) {
  if (given == nullptr) return asker(actor);
  const scope& s = *given;
  if (views.keys == nullptr)
    return fail(errc::no_key_resolver, "this engine knows no keys to check scopes with", "scope");
  if (auto ok = validate(s); !ok) return propagate(ok);
  if (actor && !actor->empty() && *actor != s.granted_to)
    return fail(errc::actor_mismatch, "the scope was granted to \"" + s.granted_to + "\"", "actor");
  if (!s.granted_by.empty() && s.granted_by != s.actor)
    return fail(errc::actor_mismatch,
                "only \"" + s.actor + "\" or the host can open what is \"" + s.actor + "\"'s",
                "scope.granted_by");
  if (s.schema != scope_schema)
    return fail(errc::bad_schema, "this version reads scopes of schema 1", "scope.schema");
  if (s.include.empty())
    return fail(errc::empty_include, "the scope includes nothing", "scope.include");
  if (now >= s.expires_at)
    return fail(errc::scope_expired, "the scope expired at " + to_string(s.expires_at),
                "scope.expires_at");
  const auto key = views.keys->public_key(s.granted_by);
  if (!key)
    return fail(errc::unknown_agent, "no key is known of \"" + s.granted_by + "\"",
                "scope.granted_by");
  if (!verify_signature(*key, scope_bytes(s), s.signature))
    return fail(errc::bad_signature, "the signature is not that of \"" + s.granted_by + "\"",
                "scope.signature");
  auto snapshot = find_manifest(*views.store, s.snapshot_root, views.published);
  if (!snapshot) return propagate(snapshot);
  if (!snapshot->has_value())
    return fail(errc::snapshot_unknown, "no snapshot of this world has that root",
                "scope.snapshot_root");
  if (auto ok = check_proofs(s, **snapshot); !ok) return propagate(ok);
  return asker(actor, given);
}

scope_violation_payload violation_of(const scope& within, std::string target) {
  return {.grantee = within.granted_to,
          .granter = within.granted_by,
          .actor = within.actor,
          .target = std::move(target),
          .nonce = {}};
}

} // namespace mneme
