#include "mneme/scope.hpp"

#include <algorithm>

#include "messages/codec/record_codec.hpp"
#include "messages/signature.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

template <class T>
std::vector<T> ascending(std::vector<T> items) {
  std::ranges::sort(items);
  const auto repeated = std::ranges::unique(items);
  items.erase(repeated.begin(), repeated.end());
  return items;
}

void put_selector(canonical_writer& out, const scope_selector& s) {
  out.array(4);
  put(out, ascending(s.types));
  put(out, ascending(s.tags));
  put(out, ascending(s.ids));
  if (!s.frame) return out.nil();
  out.array(2);
  put(out, s.frame->action);
  put(out, ascending(s.frame->refs));
}

void put_proofs(canonical_writer& out, const std::vector<tree_proof>& proofs) {
  out.array(static_cast<std::uint32_t>(proofs.size()));
  for (const auto& p : proofs) {
    out.array(3);
    put(out, p.path);
    if (p.value_hash)
      put(out, *p.value_hash);
    else
      out.nil();
    put(out, p.siblings);
  }
}

class fixed_keys : public key_resolver {
public:
  explicit fixed_keys(std::map<std::string, ed25519_key, std::less<>> keys)
      : keys_(std::move(keys)) {}
  [[nodiscard]] std::optional<ed25519_key> public_key(std::string_view agent) const override {
    const auto found = keys_.find(agent);
    if (found == keys_.end()) return std::nullopt;
    return found->second;
  }

private:
  std::map<std::string, ed25519_key, std::less<>> keys_;
};

} // namespace

std::string scope_bytes(const scope& s) {
  canonical_writer out;
  out.array(11);
  put(out, s.schema);
  put(out, s.actor);
  put(out, s.snapshot_root);
  put_selector(out, s.include);
  put_selector(out, s.exclude);
  if (s.proofs)
    put_proofs(out, *s.proofs);
  else
    out.nil();
  put(out, s.expires_at);
  put(out, s.budget_tokens);
  put(out, s.granted_by);
  put(out, s.granted_to);
  put(out, s.writable);
  return out.take();
}

result<void> sign_scope(scope& s, const ed25519_key& private_key) {
  if (auto ok = validate(s); !ok) return ok;
  auto signature = sign(private_key, scope_bytes(s));
  if (!signature) return propagate(signature);
  s.signature = *signature;
  return {};
}

std::shared_ptr<key_resolver>
make_key_resolver(std::map<std::string, ed25519_key, std::less<>> keys) {
  return std::make_shared<fixed_keys>(std::move(keys));
}

} // namespace mneme
